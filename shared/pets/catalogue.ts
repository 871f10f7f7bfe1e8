import type { Items } from '../items.ts';

/** A game's rules as data: species, foods and cards with their prices and effects. Names follow `rule-shapes.ts`. */
export interface Catalogue {
  readonly limits: Limits;
  readonly species: readonly string[];
  readonly starter: { readonly items: Items };
  readonly foods: Readonly<Record<string, Food>>;
  readonly cards: Readonly<Record<string, Card>>;
  /** The xp at which level 1, 2, 3 ... begins; ascending, the first is 0. */
  readonly levels: readonly number[];
}

export interface Limits {
  readonly petsPerPlayer: number;
  /** The most feedings that can be armed on one pet. */
  readonly autoFeedsPerPet: number;
  /** How long a stop gives back the food of a feeding by hand. */
  readonly undoMs: number;
  /** How long, from now, a pet's boost may last, with any number of cards. */
  readonly boostMs: number;
}

export interface Food {
  readonly workMs: number;
  readonly xp: number;
}

/** A card's effect: `cut` removes work, `rate` boosts, `repeat` feeds again afterwards. */
export type Card =
  | { readonly effect: 'cut'; readonly workMs: number }
  | { readonly effect: 'rate'; readonly rate: number; readonly lastsMs: number }
  | { readonly effect: 'repeat'; readonly times: number };

const HOUR_MS = 3_600_000;

export const defaultCatalogue: Catalogue = {
  limits: { petsPerPlayer: 8, autoFeedsPerPet: 10, undoMs: 10_000, boostMs: 365 * 24 * HOUR_MS },
  species: ['dog', 'cat', 'rabbit'],
  starter: { items: { 'dog-food': 10, 'speed-up': 3, 'auto-feed': 3, boost: 1 } },
  foods: { 'dog-food': { workMs: 4 * HOUR_MS, xp: 10 }, snack: { workMs: HOUR_MS / 2, xp: 1 } },
  cards: {
    'speed-up': { effect: 'cut', workMs: 2 * HOUR_MS },
    boost: { effect: 'rate', rate: 2, lastsMs: HOUR_MS },
    'auto-feed': { effect: 'repeat', times: 1 },
  },
  levels: [0, 30, 100, 300],
};

/** A catalogue that reads each part from `read` when it is used; the default if there is none. */
export const liveCatalogue = (read: () => Catalogue | undefined): Catalogue =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      (Object.keys(defaultCatalogue) as (keyof Catalogue)[]).map((part) => [
        part,
        { enumerable: true, get: () => (read() ?? defaultCatalogue)[part] },
      ]),
    ),
  ) as Catalogue;

/** The level follows from xp and is never stored, so a changed table changes all players' levels at once. */
export const levelOf = (levels: readonly number[], xp: number): number =>
  Math.max(1, levels.filter((threshold) => threshold <= xp).length);
