import type { Items } from './items.ts';

/** A module's state under an id: JSON, never changed in place. */
export type Thing = object;
/** Things of one module, by id. */
export type Things = Readonly<Record<string, Thing>>;
/** A module's counters of a player, outside of things: whole numbers by name. Missing: 0. */
export type Counters = Readonly<Record<string, number | undefined>>;

/** Everything that a player has: the input of the rules, and the fold of the player's events. */
export interface Home {
  readonly playerId: string;
  /** `seq` of the newest event; 0 before the first. */
  readonly seq: number;
  /** `at` of the newest event: no later event is dated before it. */
  readonly lastAtMs: number;
  readonly items: Items;
  /** By module; a module without things is left out. */
  readonly things: Readonly<Record<string, Things>>;
  /** By module; a module without counters is left out. */
  readonly counters: Readonly<Record<string, Counters>>;
  /** Modules that have opened the home. */
  readonly opened: readonly string[];
  /** Since when the player is frozen: an operator forbids commands, but started work goes on. Missing: not frozen. */
  readonly frozenAtMs?: number | undefined;
}

export const newHome = (playerId: string): Home => ({
  playerId,
  seq: 0,
  lastAtMs: 0,
  items: {},
  things: {},
  counters: {},
  opened: [],
});

/** Without a prototype: an id may be `constructor`, a name that every other object has. */
const NO_THINGS: Things = Object.freeze(Object.create(null));

export const thingsOf = (home: Pick<Home, 'things'>, module: string): Things => home.things[module] ?? NO_THINGS;

/**
 * Maps of things that one fold has made. No other code has them, so the fold changes them in place instead of copying
 * the whole map for each event. Rules see their present state. A frozen map is copied.
 */
export type MadeMaps = WeakSet<Things>;

/** The things by module, with this one in its new state; undefined: it is removed. */
export const withThing = (
  all: Home['things'],
  { module, id }: { readonly module: string; readonly id: string },
  thing: Thing | undefined,
  made: MadeMaps = new WeakSet(),
): Home['things'] => {
  const before = all[module] ?? NO_THINGS;
  const own = made.has(before) && !Object.isFrozen(before) ? (before as Record<string, Thing>) : copyOf(before);
  if (thing) own[id] = thing;
  else delete own[id];
  if (own === before && thing) return all;
  if (thing || Object.keys(own).length > 0) {
    made.add(own);
    return { ...all, [module]: own };
  }
  const { [module]: _, ...left } = all;
  return left;
};

/** By name: V8 copies a map of hundreds so in a third of the time of a spread. */
const copyOf = (things: Things): Record<string, Thing> => {
  const copy: Record<string, Thing> = Object.create(null);
  for (const id in things) copy[id] = things[id] as Thing;
  return copy;
};

const NO_COUNTERS: Counters = Object.freeze(Object.create(null));

export const countersOf = (home: Pick<Home, 'counters'>, module: string): Counters =>
  home.counters[module] ?? NO_COUNTERS;

/** The counters by module, with these values of one module; 0 removes a counter. */
export const withCounters = (all: Home['counters'], module: string, values: Counters): Home['counters'] => {
  const own: Record<string, number> = Object.assign(Object.create(null), all[module]);
  for (const [name, value] of Object.entries(values)) {
    if (value) own[name] = value;
    else delete own[name];
  }
  if (Object.keys(own).length > 0) return { ...all, [module]: Object.freeze(own) };
  const { [module]: _, ...left } = all;
  return left;
};

/** For two homes that are merged: the higher value of each counter. */
export const higherCounters = (one: Home['counters'], other: Home['counters']): Home['counters'] =>
  Object.entries(other).reduce((all, [module, theirs]) => {
    const mine = countersOf({ counters: one }, module);
    const higher = Object.entries(theirs).filter(([name, value = 0]) => value > (mine[name] ?? 0));
    return withCounters(all, module, Object.fromEntries(higher));
  }, one);

/** Read-only all the way down. */
export type Frozen<Type> = Type extends object ? { readonly [Field in keyof Type]: Frozen<Type[Field]> } : Type;
