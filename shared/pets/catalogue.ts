import type { Items } from '../items.ts';

/** A game's rules as data: what there is, what it costs and what it does. Names are those of `rule-shapes.ts`. */
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
  /** How many feedings can be armed on one pet. */
  readonly autoFeedsPerPet: number;
  /** How long after a feeding by hand its food comes back when it is stopped. */
  readonly undoMs: number;
  /** How long, from now, the boost of a pet may last at most, however many cards it is made of. */
  readonly boostMs: number;
}

export interface Food {
  readonly workMs: number;
  readonly xp: number;
}

/** What a card does: `cut` takes work off, `rate` boosts, `repeat` feeds again afterwards. */
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

/** The catalogue that `read` returns, each part as it is when it is looked up; the default where there is none. */
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

/** Own entries only: `constructor` is no food. */
export const entryOf = <Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const isItem = (catalogue: Catalogue, name: string): boolean =>
  entryOf(catalogue.foods, name) !== undefined || entryOf(catalogue.cards, name) !== undefined;

/** Level is a view of xp: it is never stored, so that a changed table changes everybody's at once. */
export const levelOf = (levels: readonly number[], xp: number): number =>
  Math.max(1, levels.filter((threshold) => threshold <= xp).length);
