/** Levels that some thing of each name must have, and amounts that must be in stock; nothing is taken. */
export interface Needs {
  readonly items?: Readonly<Record<string, number>> | undefined;
  readonly [thing: string]: number | Needs['items'];
}

export const levelsOf = (needs: Needs): readonly (readonly [thing: string, level: number])[] =>
  Object.entries(needs).flatMap(([thing, level]) => (typeof level === 'number' ? [[thing, level] as const] : []));

type OfLevel<Value> = Value extends readonly (infer Entry)[] ? Entry : Value;

/** The value at a level, as in files of rules: one value for every level, or a list. Undefined: the list ends before. */
export const atLevel = <Value>(value: Value, level: number): OfLevel<Value> | undefined =>
  Array.isArray(value) ? value[level] : (value as OfLevel<Value>);

/** The most things of a name that a player may have: a number, or a number by the level of another thing. */
export type Limit = number | Readonly<Record<string, readonly number[]>>;

/** The present limit. The highest level of that other thing counts; level 0 if there is none. */
export const limitOf = (
  limit: Limit,
  things: readonly { readonly name: string; readonly level: number }[],
): { readonly limit: number; readonly by?: string; readonly level?: number } => {
  const [ruling] = typeof limit === 'number' ? [] : Object.entries(limit);
  if (!ruling) return { limit: Number(limit) };
  const [by, list] = ruling;
  const level = Math.max(0, ...things.flatMap((thing) => (thing.name === by ? [thing.level] : [])));
  return { limit: lastHolds(list, level), by, level };
};

/** The limit is one at every level: then its id is its name. */
export const isSingle = (limit: Limit): boolean =>
  Math.max(...(typeof limit === 'number' ? [limit] : Object.values(limit).flat())) === 1;

/** The entry at a place; beyond the end the last one. */
const lastHolds = <Entry>(list: readonly Entry[], at: number): Entry => list[Math.min(at, list.length - 1)] as Entry;

/** The price of the next thing of a name, if a player has so many. */
export const priceOf = (takes: Prices, have: number): Price =>
  (Array.isArray(takes) ? lastHolds(takes, have) : takes) as Price;

type Price = Readonly<Record<string, number>>;
type Prices = Price | readonly Price[];
