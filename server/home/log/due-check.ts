import type { Home } from '../../../shared/home.ts';
import type { Modules } from '../../domain/modules.ts';

/** Things read in a turn. */
const THINGS = 500;
const BETWEEN_TURNS_MS = 100;
/** From the start of one pass to the start of the next. */
const PASS_EVERY_MS = 30_000;

/** A thing's place in the order of the check. */
export interface ThingCursor {
  readonly playerId: string;
  readonly module: string;
  readonly thingId: string;
}

/** A thing from its row; undefined if no rules here can read it. */
export interface StoredDue extends ThingCursor {
  readonly thing: Home['things'][string][string] | undefined;
  readonly dueAtMs: number | undefined;
}

/** Reads rows without locks. Errors of the driver are thrown unchanged. */
export interface DueCheckStore {
  /** The next `limit` things of all players; fewer at the end. */
  things(after: ThingCursor, limit: number): Promise<readonly StoredDue[]>;
  /** Deletes holds that ended an hour ago: those homes were settled without their timers. */
  forgetHolds(): Promise<void>;
}

interface Dependencies {
  readonly modules: Modules;
  readonly store: DueCheckStore;
  /** Settles these homes, which rewrites their due times. */
  readonly look: (playerIds: readonly string[]) => Promise<unknown>;
  readonly monotonicMs: () => number;
}

const FIRST: ThingCursor = { playerId: '', module: '', thingId: '' };

/**
 * Compares the stored due times with the rules, continuously and slowly: 20,000 homes of five things within a minute,
 * ten million things in 40 minutes. Otherwise a due time that was changed by hand would be noticed only when its player
 * comes back.
 */
export class DueCheck {
  readonly #on: Dependencies;
  #at = FIRST;
  #beganAtMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  tick = async (): Promise<number> => {
    const { store, look, monotonicMs } = this.#on;
    if (this.#at === FIRST) this.#beganAtMs = monotonicMs();
    const things = await store.things(this.#at, THINGS);
    const strays = things.filter((stored) => !this.#isAsTheRulesSay(stored));
    if (strays.length > 0) await look([...new Set(strays.map(({ playerId }) => playerId))]);
    this.#at = (things.length === THINGS ? things.at(-1) : undefined) ?? FIRST;
    if (this.#at !== FIRST) return BETWEEN_TURNS_MS;
    await store.forgetHolds();
    return Math.max(BETWEEN_TURNS_MS, this.#beganAtMs + PASS_EVERY_MS - monotonicMs());
  };

  /** If a rule fails, the row counts as right: the home stands still, and settling reports the fault. */
  #isAsTheRulesSay({ module, thing, thingId, dueAtMs }: StoredDue): boolean {
    try {
      return !thing || this.#on.modules.named(module)?.rules.dueAtMs?.(thing, thingId) === dueAtMs;
    } catch {
      return true;
    }
  }
}
