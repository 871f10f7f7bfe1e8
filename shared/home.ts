import type { Items } from './catalogue.ts';
import type { Boost, Work } from './work.ts';

/** A player's pets and items: what the rules decide on, and the fold of the player's events. */
export interface Home {
  readonly playerId: string;
  /** `seq` of the newest event; 0 before the first. */
  readonly seq: number;
  /** `at` of the newest event: no event is ever dated before it. */
  readonly lastAtMs: number;
  readonly items: Items;
  /** In order of adoption. */
  readonly pets: readonly Pet[];
  /** Since when an operator lets the player do nothing; feedings go on. Missing: the player is not frozen. */
  readonly frozenAtMs?: number | undefined;
}

export interface Pet {
  readonly petId: string;
  readonly name: string;
  readonly species: string;
  readonly xp: number;
  readonly feeding: Feeding | undefined;
  /** How the newest ended feeding ended, and what it was: the next of a chain is made after it. */
  readonly lastFeeding: EndedFeeding | undefined;
  readonly boost: Boost | undefined;
  /** Repeat cards that lie on the pet, the first to be used first. */
  readonly armed: readonly Armed[];
  /** Since when the chain waits for its food; undefined: it does not wait. */
  readonly blockedAtMs: number | undefined;
}

/** What is eaten; a chain repeats it whatever the catalogue says by then. */
export interface Meal {
  readonly food: string;
  readonly workMs: number;
  readonly xp: number;
}

export interface Feeding extends Meal {
  readonly feedingId: string;
  readonly by: 'hand' | 'card';
  readonly startedAtMs: number;
  readonly work: Work;
  /** A card was played on it: stopping it no longer gives the food back. */
  readonly hasCards: boolean;
}

export interface EndedFeeding extends Meal {
  readonly feedingId: string;
  readonly outcome: 'completed' | 'stopped';
}

/** Repeat cards of one kind, armed together. The first may be used in part (`left` no multiple of `times`). */
export interface Armed {
  readonly card: string;
  /** Feedings that one card gives. */
  readonly times: number;
  /** Feedings that these cards still give. */
  readonly left: number;
}

export const newHome = (playerId: string): Home => ({ playerId, seq: 0, lastAtMs: 0, items: {}, pets: [] });

export const petOf = (home: Home, petId: string): Pet | undefined => home.pets.find((pet) => pet.petId === petId);

export const countOf = (items: Items, item: string): number => (Object.hasOwn(items, item) ? (items[item] ?? 0) : 0);

/** Feedings that are armed on the pet. */
export const autoFeedsOf = (pet: Pet): number => pet.armed.reduce((sum, armed) => sum + armed.left, 0);

/** Sums of counts by item; entries that become 0 stay out, so that equal stocks are equal values. */
export const addItems = (items: Items, deltas: Items): Items => {
  const sum: Record<string, number> = { ...items };
  for (const [item, delta] of Object.entries(deltas)) {
    const count = countOf(sum, item) + delta;
    if (count === 0) delete sum[item];
    else sum[item] = count;
  }
  return sum;
};

/** Cards that none of their feedings has been taken from: those can go back to the items. */
export const wholeCards = (armed: Armed): number => Math.floor(armed.left / armed.times);
