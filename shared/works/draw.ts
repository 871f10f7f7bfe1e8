import { addItems, countable, type Items } from '../items.ts';
import type { ByChance, Counters, Scene } from '../module/module.ts';
import type { Order } from './thing.ts';

/** A range, both ends included. */
type Range = readonly [from: number, to: number];

/** The gains in files of rules: amounts, and ranges from which an amount is drawn at the end. */
export interface Gives {
  readonly level?: number | undefined;
  readonly [item: string]: number | Range | undefined;
}

interface Gains {
  readonly gives: Record<string, number>;
  readonly ranges?: Record<string, Range>;
}
type Table = NonNullable<Order['oneOf']>;

/** Amounts and ranges separately; levels are neither. */
export const gainsOf = ({ level: _, ...items }: Gives): Gains => {
  const gives: Record<string, number> = {};
  const ranges: Record<string, Range> = {};
  for (const [item, amount = 0] of Object.entries(items)) {
    if (typeof amount !== 'number') ranges[item] = amount;
    else if (amount > 0) gives[item] = amount;
  }
  return { gives, ...(Object.keys(ranges).length > 0 && { ranges }) };
};

/** Sure gains and drawn gains together. */
export const withDrawn = (gives: Items, drawn: Items = {}): Items => addItems(gives, countable(gives, drawn));

/** The engine's bound for one end. */
export const MOST_DRAWS = 1000;
/** The engine's bound for a player. */
const MOST_COUNTERS = 1000;

type Drawing = ByChance & Pick<Scene<object>, 'counters'>;

/** Draws the gains at an end, and updates the counters; undefined: the order has no chance. */
export const drawnBy = ({ ranges, oneOf }: Order, { chance, counters }: Drawing) => {
  if (!ranges && !oneOf) return undefined;
  const table = oneOf && prizeOf(oneOf, { chance, counters });
  const prize = table && oneOf.of[table.prize];
  const inRanges = [ranges, prize?.ranges].flatMap(byName);
  const items = inRanges.reduce<Items>(
    (sum, [item, [from, to]]) => withDrawn(sum, { [item]: chance.whole(from, to) }),
    prize?.gives ?? {},
  );
  return {
    drawn: { items, ...(table && { prize: table.prize }) },
    ...(table && Object.keys(table.counters).length > 0 && { counters: table.counters }),
  };
};

/** In an order of its own: the database does not keep that of names. */
const byName = (all: Gains['ranges'] = {}) => Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1));

/**
 * The prize: drawn by weight, or the one that must come now. If several are due, each comes in time: there are at most
 * as many as the least `atLatest`, so it suffices that the one with the least time left comes as soon as there are too
 * many.
 */
const prizeOf = ({ name, of }: Table, { chance, counters }: Drawing): { prize: number; counters: Counters } => {
  const owed = of
    .flatMap(({ atLatest }, prize) => (atLatest === undefined ? [] : [{ prize, atLatest }]))
    .map((one, at) => {
      const counter = `oneOf:${name}:${at + 1}`;
      const missed = counters[counter] ?? 0;
      return { ...one, counter, missed, left: one.atLatest - 1 - missed };
    })
    .sort((one, other) => one.left - other.left);
  const isDue = owed.some(({ left }, at) => left <= at);
  const prize = (isDue ? owed[0]?.prize : undefined) ?? of.indexOf(chance.pick(of));
  // Earlier tables may have used up the counters: without room a prize is not counted, or the home would stand still.
  const hasRoom = Object.keys(counters).length + owed.length <= MOST_COUNTERS;
  const counted = owed.filter(({ counter }) => hasRoom || counter in counters);
  return {
    prize,
    counters: Object.fromEntries(counted.map((one) => [one.counter, one.prize === prize ? 0 : one.missed + 1])),
  };
};
