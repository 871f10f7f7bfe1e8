import type { Items } from './items.ts';

/** What a module keeps under an id: JSON, never changed in place. */
export type Thing = object;
/** Things of one module, by id. */
export type Things = Readonly<Record<string, Thing>>;

/** All that a player has: what the rules decide on, and the fold of the player's events. */
export interface Home {
  readonly playerId: string;
  /** `seq` of the newest event; 0 before the first. */
  readonly seq: number;
  /** `at` of the newest event: no event is ever dated before it. */
  readonly lastAtMs: number;
  readonly items: Items;
  /** By module; a module without things is left out. */
  readonly things: Readonly<Record<string, Things>>;
  /** Modules that gave the player what one begins with. */
  readonly opened: readonly string[];
  /** Since when an operator lets the player do nothing; what is under way goes on. Missing: the player is not frozen. */
  readonly frozenAtMs?: number | undefined;
}

export const newHome = (playerId: string): Home => ({
  playerId,
  seq: 0,
  lastAtMs: 0,
  items: {},
  things: {},
  opened: [],
});

/** Without a prototype: an id may be `constructor`, which every other object has. */
const NO_THINGS: Things = Object.freeze(Object.create(null));

export const thingsOf = (home: Pick<Home, 'things'>, module: string): Things => home.things[module] ?? NO_THINGS;

/** The things by module with this one as it is now; undefined: it is gone. */
export const withThing = (
  all: Home['things'],
  { module, id }: { readonly module: string; readonly id: string },
  thing: Thing | undefined,
): Home['things'] => {
  const own = all[module] ?? NO_THINGS;
  if (thing) return { ...all, [module]: { __proto__: null, ...own, [id]: thing } as unknown as Things };
  const { [id]: _, ...others } = own;
  if (Object.keys(others).length > 0) return { ...all, [module]: { __proto__: null, ...others } as unknown as Things };
  const { [module]: __, ...left } = all;
  return left;
};
