import type { Home } from '../../../shared/home.ts';
import { dueOf } from '../../domain/feeding.ts';

/** A home as the audit keeps it: what an operator can have changed. */
export const summaryOf = ({ seq, items, pets, frozenAtMs }: Home) => ({
  seq,
  items,
  pets: pets.map((pet) => ({
    petId: pet.petId,
    ...(pet.feeding ? { feedingId: pet.feeding.feedingId, dueAtMs: dueOf(pet) } : {}),
  })),
  ...(frozenAtMs === undefined ? {} : { frozenAtMs }),
});
