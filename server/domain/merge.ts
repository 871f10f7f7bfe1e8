import type { EventBody, HomeEvent } from '../../shared/event.ts';
import { addItems, type Home, type Pet } from '../../shared/home.ts';
import { feedingIdOf, petIdOf } from '../../shared/ids.ts';
import { type Draft, draftOf } from './draft.ts';
import { dueOf } from './feeding.ts';

/** What merging one home into another writes into both logs. */
export interface Merge {
  readonly guest: readonly HomeEvent[];
  readonly account: readonly HomeEvent[];
}

/**
 * Moves all pets and items of `guest` to `account`, and closes the guest's home (it is frozen). Pets and what they eat
 * get new ids, of the account's `seq`; nothing becomes due sooner or later. Both homes were settled at `nowMs`. The
 * limit of pets is not asked: nobody should have to choose whom to leave behind.
 */
export const mergeHomes = (input: {
  readonly guest: Home;
  readonly account: Home;
  readonly commandId: string;
  readonly by: string;
  readonly reason: string;
  readonly nowMs: number;
}): Merge => {
  const { guest, account, commandId, by, reason, nowMs } = input;
  const into = draftOf(account, commandId);
  into.add(nowMs, { type: 'home-received', from: guest.playerId, items: guest.items, by, reason });
  const pets = guest.pets.map((pet) => ({ petId: pet.petId, becomes: arrive(into, pet, nowMs) }));
  const from = draftOf(guest, commandId);
  const items = Object.fromEntries(Object.entries(guest.items).map(([item, count]) => [item, -count]));
  from.add(nowMs, { type: 'home-merged', into: account.playerId, pets, items: addItems({}, items), by, reason });
  return { guest: from.events(), account: into.events() };
};

/** Returns the pet's new id. */
const arrive = (draft: Draft, pet: Pet, nowMs: number): string => {
  const { playerId } = draft.home();
  const seq = draft.nextSeq();
  const petId = petIdOf(playerId, seq);
  draft.add(nowMs, arrivedEvent(pet, petId, feedingIdOf(playerId, seq)));
  return petId;
};

const arrivedEvent = (pet: Pet, petId: string, feedingId: string): EventBody => ({
  type: 'pet-arrived',
  petId,
  from: pet.petId,
  name: pet.name,
  species: pet.species,
  xp: pet.xp,
  armed: [...pet.armed],
  ...(pet.feeding
    ? {
        feeding: {
          feedingId,
          food: pet.feeding.food,
          workMs: pet.feeding.workMs,
          xp: pet.feeding.xp,
          by: pet.feeding.by,
          startedAt: pet.feeding.startedAtMs,
          leftMs: pet.feeding.work.leftMs,
          sinceAt: pet.feeding.work.sinceAtMs,
          hasCards: pet.feeding.hasCards,
          dueAt: dueOf(pet) ?? 0,
        },
      }
    : {}),
  ...(pet.lastFeeding ? { lastFeeding: pet.lastFeeding } : {}),
  ...(pet.boost ? { boost: { rate: pet.boost.rate, endsAt: pet.boost.endsAtMs } } : {}),
  ...(pet.blockedAtMs === undefined ? {} : { blockedAt: pet.blockedAtMs }),
});
