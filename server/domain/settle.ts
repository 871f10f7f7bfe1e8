import type { HomeEvent } from '../../shared/event.ts';
import type { Home, Meal, Pet } from '../../shared/home.ts';
import { type Draft, draftOf } from './draft.ts';
import { dueIfBegun, dueOf, hasFood, isBeyondTheClock, startFeeding } from './feeding.ts';

/**
 * Completes every feeding whose due time has come by `nowMs`, and starts what follows from it, in logical-time order
 * over all pets. Every chunking of time gives the same events. Reads no catalogue: a chain repeats its forerunner.
 */
export const settle = (home: Home, nowMs: number): readonly HomeEvent[] => {
  return settleSome(home, nowMs, Number.POSITIVE_INFINITY).events;
};

/** A beginning of what `settle` returns. */
export interface Settled {
  readonly events: readonly HomeEvent[];
  /** It is all of it. Else there is more that is due by then, and the home is not what it is at that time. */
  readonly isSettled: boolean;
}

/** Settles no further than the completion that makes it `maxEvents` or more; from there it goes on as if it had not ended. */
export const settleSome = (home: Home, nowMs: number, maxEvents: number): Settled => {
  const draft = draftOf(home);
  const isSettled = settleDraft(draft, nowMs, maxEvents);
  return { events: draft.events(), isSettled };
};

const settleDraft = (draft: Draft, nowMs: number, maxEvents: number): boolean => {
  for (let next = earliestDue(draft.home(), nowMs); next; next = earliestDue(draft.home(), nowMs)) {
    if (draft.events().length >= maxEvents) return false;
    complete(draft, next.pet, next.dueAtMs);
  }
  for (const pet of blockedPets(draft.home())) {
    if (pet.lastFeeding && hasFood(draft, pet.lastFeeding.food)) goOn(draft, pet, pet.lastFeeding, nowMs);
  }
  return true;
};

interface DuePet {
  readonly pet: Pet;
  readonly dueAtMs: number;
}

/** The pet whose feeding is due first; of several at one instant the one with the smallest id. */
const earliestDue = (home: Home, nowMs: number): DuePet | undefined => {
  let earliest: DuePet | undefined;
  for (const pet of home.pets) {
    const dueAtMs = dueOf(pet);
    if (dueAtMs === undefined || dueAtMs > nowMs) continue;
    const isEarlier =
      !earliest || dueAtMs < earliest.dueAtMs || (dueAtMs === earliest.dueAtMs && pet.petId < earliest.pet.petId);
    if (isEarlier) earliest = { pet, dueAtMs };
  }
  return earliest;
};

const complete = (draft: Draft, pet: Pet, at: number): void => {
  const feeding = pet.feeding;
  if (!feeding) return;
  draft.add(at, {
    type: 'feeding-completed',
    petId: pet.petId,
    feedingId: feeding.feedingId,
    xp: feeding.xp,
    totalXp: pet.xp + feeding.xp,
  });
  if (pet.armed.length === 0) return;
  if (hasFood(draft, feeding.food)) goOn(draft, pet, feeding, at);
  else draft.add(at, { type: 'auto-feed-blocked', petId: pet.petId, food: feeding.food });
};

/** A chain ends where the clock does: what is armed stays armed, and can be disarmed. */
const goOn = (draft: Draft, pet: Pet, meal: Meal, at: number): void => {
  if (!isBeyondTheClock(dueIfBegun(meal, pet.boost, at))) startFeeding(draft, pet.petId, meal, 'card', at);
};

/** In the order in which they get food when some arrives. */
const blockedPets = (home: Home): readonly Pet[] =>
  home.pets
    .filter((pet) => pet.blockedAtMs !== undefined)
    .sort((a, b) => (a.blockedAtMs ?? 0) - (b.blockedAtMs ?? 0) || (a.petId < b.petId ? -1 : 1));
