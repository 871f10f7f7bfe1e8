import { addItems, countOf, type Items } from '../items.ts';
import type { Draft, Scene } from '../module/module.ts';
import { type Boost, dueAtMs } from '../work.ts';
import type { petEvents } from './events.ts';
import { autoFeedsOf, type Feeding, type Meal, type Pet, wholeCards } from './pet.ts';

export type PetDraft = Draft<typeof petEvents>;

/** When the pet's feeding is due; undefined when it is not eating. */
export const dueOf = (pet: Pick<Pet, 'feeding' | 'boost'>): number | undefined =>
  pet.feeding && dueAtMs(pet.feeding.work, pet.boost);

/** The due time of a meal that begins at `at`, without later cards. */
export const dueIfBegun = ({ workMs }: Pick<Meal, 'workMs'>, boost: Boost | undefined, at: number): number =>
  dueAtMs({ leftMs: workMs, sinceAtMs: at }, boost);

/** A feeding that begins now and takes its food. `seq` is that of its event. */
export const startedFeeding = (
  { playerId, nowMs }: Pick<Scene<Pet>, 'playerId' | 'nowMs'>,
  pet: Pick<Pet, 'petId' | 'boost'>,
  { meal, by, seq }: { readonly meal: Meal; readonly by: Feeding['by']; readonly seq: number },
): PetDraft => ({
  type: 'feeding-started',
  thing: pet.petId,
  feedingId: feedingIdOf(playerId, seq),
  food: meal.food,
  by,
  workMs: meal.workMs,
  xp: meal.xp,
  dueAt: dueIfBegun(meal, pet.boost, nowMs),
  items: { [meal.food]: -1 },
});

/** Named after the event that begins it: no player id contains `~`, and `seq` is unique for a player. */
export const feedingIdOf = (playerId: string, seq: number): string => `${playerId}~f${seq}`;

type Stopped = Extract<PetDraft, { type: 'feeding-stopped' }>;

/** Stops a feeding. It gives its food back if a player began it a moment ago and played no card on it. */
export const stopped = (
  undoMs: number,
  { pet, feeding, nowMs }: { readonly pet: Pet; readonly feeding: Feeding; readonly nowMs: number },
): Stopped => {
  const isUndo = feeding.by === 'hand' && !feeding.hasCards && nowMs - feeding.startedAtMs <= undoMs;
  const back = takenBack(pet);
  return {
    type: 'feeding-stopped',
    thing: pet.petId,
    feedingId: feeding.feedingId,
    ...back,
    items: addItems(back.items, isUndo ? { [feeding.food]: 1 } : {}),
  };
};

/** Items that go back when armed cards are taken back, and the feedings that stay armed; missing: none. */
export interface TakenBack {
  readonly items: Items;
  readonly autoFeeds?: number;
}

/**
 * Takes back the newest `count` armed cards; without a count all that can go back. The remaining feedings of a partly
 * used card stay armed, because they are paid for.
 */
export const takenBack = (pet: Pet, count = Number.POSITIVE_INFINITY): TakenBack => {
  const items: Record<string, number> = {};
  let wanted = count;
  let autoFeeds = autoFeedsOf(pet);
  for (const armed of pet.armed.toReversed()) {
    const taken = Math.min(wanted, wholeCards(armed));
    if (taken > 0) items[armed.card] = countOf(items, armed.card) + taken;
    wanted -= taken;
    autoFeeds -= taken * armed.times;
  }
  return autoFeeds > 0 ? { items, autoFeeds } : { items };
};

/**
 * A pet of a home that is merged into this one. It and its feeding get new ids. The limit of pets does not apply, so
 * that no player has to leave a pet behind.
 */
export const arrivedPet = (
  pet: Pet,
  { petId, playerId, seq }: { readonly petId: string; readonly playerId: string; readonly seq: number },
): PetDraft => ({
  type: 'pet-arrived',
  thing: petId,
  from: pet.petId,
  name: pet.name,
  species: pet.species,
  xp: pet.xp,
  armed: [...pet.armed],
  ...(pet.feeding && {
    feeding: {
      feedingId: feedingIdOf(playerId, seq),
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
  }),
  ...(pet.lastFeeding && { lastFeeding: pet.lastFeeding }),
  ...(pet.boost && { boost: { rate: pet.boost.rate, endsAt: pet.boost.endsAtMs } }),
  ...(pet.blockedAtMs !== undefined && { blockedAt: pet.blockedAtMs }),
});
