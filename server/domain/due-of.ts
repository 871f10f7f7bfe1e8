import { freezeDeep } from '../../shared/frozen.ts';
import { countersOf, type Home, type Thing, type Things, thingsOf } from '../../shared/home.ts';
import { ModuleFault } from './module-fault.ts';
import type { LoadedModule, Modules } from './modules.ts';

/** The thing's next due time. */
export const thingDueAt = ({ rules }: LoadedModule, id: string, thing: Thing): number | undefined =>
  rules.dueAtMs?.(thing, id);

/** The instant since which the thing waits for something else. */
export const waitingTimeOf = ({ rules }: LoadedModule, id: string, thing: Thing): number | undefined =>
  rules.waitingSinceMs?.(thing, id);

/** The subject of a thing's timer. It names the player, since many homes may have a `hall`. No player id contains `~`. */
export const subjectOf = (playerId: string, id: string): string => `${playerId}~${id}`;

/** The id of the thing with this timer subject; undefined if it belongs to another player. */
export const thingOfSubject = (playerId: string, subject: string): string | undefined =>
  subject.startsWith(subjectOf(playerId, '')) ? subject.slice(playerId.length + 1) : undefined;

/** A run's name for operators, unique among all players. The oldest modules already give unique names. */
export const runNamed = ({ hasOwnRuns }: LoadedModule, playerId: string, run: string): string =>
  hasOwnRuns ? run : `${playerId}~${run}`;

/** The current run of the thing, as operators name it. */
export const runOf = (
  module: LoadedModule,
  playerId: string,
  { id, thing }: { readonly id: string; readonly thing: Thing },
): string => runNamed(module, playerId, module.rules.run?.(thing, id) ?? id);

export interface Place {
  readonly module: LoadedModule;
  readonly id: string;
  readonly thing: Thing;
}

interface Asked extends Place {
  readonly dueAtMs: number | undefined;
  readonly sinceMs: number | undefined;
}

type Due = Asked & { readonly dueAtMs: number };
type Waiting = Asked & { readonly sinceMs: number };

/**
 * When each thing of a home is due, and since when it waits. The rules are asked once, and again only about a thing
 * that an event changed: after an absence a player has thousands of events, and each concerns one thing.
 */
export class Board {
  readonly #asked = new Map<string, Asked>();
  #line: readonly Waiting[] | undefined;

  /** Freezes what a loaded home has, since all rules get it. */
  constructor(modules: Modules, home: Home) {
    Object.freeze(home.items);
    for (const module of modules.all) {
      Object.freeze(countersOf(home, module.name));
      const things: Things = Object.freeze(thingsOf(home, module.name));
      for (const id in things) {
        this.look(home, module, id);
      }
    }
  }

  /** Throws a `ModuleFault` if a rule wrote into the map of things, which a settle cannot freeze. */
  check(modules: Modules, home: Home): void {
    for (const module of modules.all) {
      const things = thingsOf(home, module.name);
      for (const id in things) {
        if (this.#asked.get(nameOf({ module, id }))?.thing !== things[id]) throw written(module, id);
      }
    }
    for (const { module, id } of this.#asked.values()) if (!thingsOf(home, module.name)[id]) throw written(module, id);
  }

  /** Asks the rules again about a thing, which may be new or gone. */
  look(home: Home, module: LoadedModule, id: string): void {
    const name = nameOf({ module, id });
    const thing = thingsOf(home, module.name)[id];
    // A rule's own thing was frozen when it was made.
    if (thing && Object.isExtensible(thing)) freezeDeep(thing);
    const now = thing && {
      module,
      id,
      thing,
      dueAtMs: thingDueAt(module, id, thing),
      sinceMs: waitingTimeOf(module, id, thing),
    };
    if (now?.sinceMs !== undefined || this.#asked.get(name)?.sinceMs !== undefined) this.#line = undefined;
    if (now) this.#asked.set(name, now);
    else this.#asked.delete(name);
  }

  /** The thing that is due first by `nowMs`; at the same instant, the first by module and id. */
  earliestDue(nowMs: number): Due | undefined {
    let earliest: Due | undefined;
    for (const one of this.#asked.values()) {
      if (!isDue(one) || one.dueAtMs > nowMs) continue;
      if (!earliest || (one.dueAtMs - earliest.dueAtMs || byName(one, earliest)) < 0) earliest = one;
    }
    return earliest;
  }

  /** The waiting things in the order in which they are asked: since when, then module and id. */
  waiting(): readonly Place[] {
    this.#line ??= [...this.#asked.values()].filter(isWaiting).sort((a, b) => a.sinceMs - b.sinceMs || byName(a, b));
    return this.#line;
  }
}

const written = ({ name }: LoadedModule, thing: string): ModuleFault =>
  new ModuleFault({ module: name, thing, rule: 'complete or goOn' }, 'it writes into things: return an event instead');

export const nameOf = ({ module, id }: Omit<Place, 'thing'>): string => `${module.name} ${id}`;

const isDue = (one: Asked): one is Due => one.dueAtMs !== undefined;
const isWaiting = (one: Asked): one is Waiting => one.sinceMs !== undefined;

const byName = (one: Place, other: Place): number =>
  compare(one.module.name, other.module.name) || compare(one.id, other.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
