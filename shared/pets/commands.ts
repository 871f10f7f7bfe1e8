import { z } from 'zod';
import { text } from '../text.ts';

const id = text(1, 200);
const item = text(1, 64);
const count = z.int().min(1).max(1000);

/** What players may ask of their pets. */
export const petCommands = {
  // The length of a name is a rule of the game (`name/refused`), not of the wire.
  adopt: z.object({ name: z.string(), species: item }),
  feed: z.object({ petId: id, food: item }),
  'use-card': z.object({
    petId: id,
    card: item,
    feedingId: id.optional(),
    count: count.optional(),
    maxWastedMs: z.int().min(0).optional(),
  }),
  disarm: z.object({ petId: id, count: count.optional() }),
  stop: z.object({ petId: id, feedingId: id.optional() }),
  release: z.object({ petId: id }),
} as const;

type PetCommands = typeof petCommands;
export type PetPayload<Type extends keyof PetCommands> = z.output<PetCommands[Type]>;
