/** Levels that some thing of that name has to have, and amounts in stock; nothing of it is taken. */
export interface Needs {
  readonly items?: Readonly<Record<string, number>> | undefined;
  readonly [thing: string]: number | Needs['items'];
}

/** The names of things that needs have, with their levels. */
export const levelsOf = (needs: Needs): readonly (readonly [thing: string, level: number])[] =>
  Object.entries(needs).flatMap(([thing, level]) => (typeof level === 'number' ? [[thing, level] as const] : []));

type OfLevel<Value> = Value extends readonly (infer Entry)[] ? Entry : Value;

/** The value at a level, as files of rules have it: one for every level, or a list. Undefined: the list ends before it. */
export const atLevel = <Value>(value: Value, level: number): OfLevel<Value> | undefined =>
  Array.isArray(value) ? value[level] : (value as OfLevel<Value>);

/** How many things of a name a player may have: a number, or that of the level of another thing. */
export type Limit = number | Readonly<Record<string, readonly number[]>>;

/** The limit now. Of several things that it asks for the highest level counts; level 0 where there is none. */
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

/** There is one of it by every level: its id is its name. */
export const isSingle = (limit: Limit): boolean =>
  Math.max(...(typeof limit === 'number' ? [limit] : Object.values(limit).flat())) === 1;

/** The entry at a place; the last one for all that come after it. */
const lastHolds = <Entry>(list: readonly Entry[], at: number): Entry => list[Math.min(at, list.length - 1)] as Entry;

/** What the next thing costs of whose name there are so many. */
export const priceOf = (takes: Prices, have: number): Price =>
  (Array.isArray(takes) ? lastHolds(takes, have) : takes) as Price;

type Price = Readonly<Record<string, number>>;
type Prices = Price | readonly Price[];
