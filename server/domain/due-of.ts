import { type Home, type Thing, thingsOf } from '../../shared/home.ts';
import type { LoadedModule, Modules } from './modules.ts';

/** When the thing is due next. */
export const thingDueAt = ({ rules }: LoadedModule, id: string, thing: Thing): number | undefined =>
  rules.dueAtMs?.(thing, id);

/** Since when the thing waits for something else. */
export const waitingTimeOf = ({ rules }: LoadedModule, id: string, thing: Thing): number | undefined =>
  rules.waitingSinceMs?.(thing, id);

/** Of its timer: one among all players', since a `hall` is in many homes. `~` is in no player's id. */
export const subjectOf = (playerId: string, id: string): string => `${playerId}~${id}`;

/** The thing whose timer has this subject, if it can be one of the player's. */
export const thingOfSubject = (playerId: string, subject: string): string | undefined =>
  subject.startsWith(subjectOf(playerId, '')) ? subject.slice(playerId.length + 1) : undefined;

/** A run as operators name it: one among all players'. Modules that are older than others name their runs so already. */
export const runNamed = ({ hasOwnRuns }: LoadedModule, playerId: string, run: string): string =>
  hasOwnRuns ? run : `${playerId}~${run}`;

/** What the thing does at the time, as operators name it. */
export const runOf = (
  module: LoadedModule,
  playerId: string,
  { id, thing }: { readonly id: string; readonly thing: Thing },
): string => runNamed(module, playerId, module.rules.run?.(thing, id) ?? id);

/** A thing and its module. */
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
 * When each thing of a home is due, and since when it waits. The rules are asked once, and again about a thing that an event
 * changed: a player who was away has thousands of events, and each is about one thing.
 */
export class Board {
  readonly #asked = new Map<string, Asked>();
  #line: readonly Waiting[] | undefined;

  constructor(modules: Modules, home: Home) {
    for (const module of modules.all) for (const id in thingsOf(home, module.name)) this.look(home, module, id);
  }

  /** Asks again about a thing, which may be new or gone. */
  look(home: Home, module: LoadedModule, id: string): void {
    const name = nameOf({ module, id });
    const thing = thingsOf(home, module.name)[id];
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

  /** What is due first by `nowMs`; of several at one instant by module and id. */
  earliestDue(nowMs: number): Due | undefined {
    let earliest: Due | undefined;
    for (const one of this.#asked.values()) {
      if (!isDue(one) || one.dueAtMs > nowMs) continue;
      if (!earliest || (one.dueAtMs - earliest.dueAtMs || byName(one, earliest)) < 0) earliest = one;
    }
    return earliest;
  }

  /** Who waits, in the order in which they're asked: since when, then module and id. */
  waiting(): readonly Place[] {
    this.#line ??= [...this.#asked.values()].filter(isWaiting).sort((a, b) => a.sinceMs - b.sinceMs || byName(a, b));
    return this.#line;
  }
}

export const nameOf = ({ module, id }: Omit<Place, 'thing'>): string => `${module.name} ${id}`;

const isDue = (one: Asked): one is Due => one.dueAtMs !== undefined;
const isWaiting = (one: Asked): one is Waiting => one.sinceMs !== undefined;

const byName = (one: Place, other: Place): number =>
  compare(one.module.name, other.module.name) || compare(one.id, other.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
