import { addItems } from '../items.ts';
import { LATEST_MS } from '../latest-ms.ts';
import type { Draft, Scene } from '../module/module.ts';
import { type Boost, dueAtMs } from '../work.ts';
import { takenBack } from './armed-cards.ts';
import type { petEvents } from './events.ts';
import type { Feeding, Meal, Pet } from './pet.ts';

export type PetDraft = Draft<typeof petEvents>;

/** When the pet's feeding is due; undefined when it is not eating. */
export const dueOf = (pet: Pick<Pet, 'feeding' | 'boost'>): number | undefined =>
  pet.feeding && dueAtMs(pet.feeding.work, pet.boost);

/** When a meal that begins at `at` will be due, whatever is played on it later. */
export const dueIfBegun = ({ workMs }: Pick<Meal, 'workMs'>, boost: Boost | undefined, at: number): number =>
  dueAtMs({ leftMs: workMs, sinceAtMs: at }, boost);

/** No timer can wait until then. */
export const isBeyondTheClock = (dueAt: number): boolean => dueAt >= LATEST_MS;

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

/** Named after the event that begins it: `~` cannot occur in a player id, and `seq` is unique for a player. */
export const feedingIdOf = (playerId: string, seq: number): string => `${playerId}~f${seq}`;

type Stopped = Extract<PetDraft, { type: 'feeding-stopped' }>;

/** A feeding by hand that was begun a moment ago, and that no card was played on, gives its food back. */
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
