import { countOf, type Feeding, type Meal, type Pet, petOf } from '../../shared/home.ts';
import { feedingIdOf } from '../../shared/ids.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { type Boost, dueAtMs } from '../../shared/work.ts';
import type { Draft } from './draft.ts';

/** When the pet's feeding is due; undefined when it is not eating. */
export const dueOf = (pet: Pet): number | undefined => pet.feeding && dueAtMs(pet.feeding.work, pet.boost);

/** When a meal that begins at `at` will be due, whatever is played on it later. */
export const dueIfBegun = ({ workMs }: Pick<Meal, 'workMs'>, boost: Boost | undefined, at: number): number =>
  dueAtMs({ leftMs: workMs, sinceAtMs: at }, boost);

/** No timer can wait until then. */
export const isBeyondTheClock = (dueAt: number): boolean => dueAt >= LATEST_MS;

/** Starts a feeding at `at` and takes its food. The caller has seen that there is some, and that it ends in time. */
export const startFeeding = (draft: Draft, petId: string, meal: Meal, by: Feeding['by'], at: number): void => {
  const pet = petOf(draft.home(), petId);
  draft.add(at, {
    type: 'feeding-started',
    petId,
    feedingId: feedingIdOf(draft.home().playerId, draft.nextSeq()),
    food: meal.food,
    by,
    workMs: meal.workMs,
    xp: meal.xp,
    dueAt: dueIfBegun(meal, pet?.boost, at),
    items: { [meal.food]: -1 },
  });
};

export const hasFood = (draft: Draft, food: string): boolean => countOf(draft.home().items, food) > 0;
