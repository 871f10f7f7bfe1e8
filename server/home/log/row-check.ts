import type { Exclusive } from '../../runtime/exclusive.ts';
import type { PageCursor } from '../../timer/model/index-entry.ts';
import { type DerivedRow, isInPlace } from '../model/timer-rows.ts';

/** Things compared in a turn. */
const THINGS = 500;
/** Timer rows looked at in a turn, of whatever kind: only those come back that are of nothing that is due. */
const ROWS = 2000;
const BETWEEN_TURNS_MS = 100;
/** From the start of one pass to that of the next. */
const PASS_EVERY_MS = 30_000;
const LOOK_EVERY_MS = 1000;
/** Homes healed at once. */
const HEALED_AT_ONCE = 100;

/** A thing that has a due time, and its timer row, if there is one of this owner's. */
export interface DueThing {
  readonly playerId: string;
  readonly dueAtMs: number;
  readonly row: Omit<DerivedRow, 'kind' | 'subject'> | undefined;
}

/** A thing's place in the order in which they're compared. */
export interface ThingCursor {
  readonly playerId: string;
  readonly module: string;
  readonly thingId: string;
}

/** The rows as they are, without locks; each result is of one snapshot. Errors come as the driver throws them. */
export interface RowCheckStore {
  nowMs(): Promise<number>;
  /** Those that are due among the next `limit` things of all players; `next` is undefined at the end. */
  dueThings(
    after: ThingCursor,
    limit: number,
  ): Promise<{ readonly things: readonly DueThing[]; readonly next: ThingCursor | undefined }>;
  /** The owners of those of the next `limit` scheduled timers of modules that are of nothing which is due. */
  ghosts(
    after: PageCursor | undefined,
    limit: number,
  ): Promise<{ readonly owners: readonly string[]; readonly next: PageCursor | undefined }>;
}

interface Dependencies {
  readonly store: RowCheckStore;
  /** Compares these homes once more, under their locks, and heals them. */
  readonly heal: (playerIds: readonly string[]) => Promise<void>;
  /** The right to check. */
  readonly exclusive: Exclusive;
  readonly monotonicMs: () => number;
}

/** Where a pass is; undefined: at its end. */
interface Place {
  readonly thing: ThingCursor | undefined;
  readonly row: PageCursor | 'start' | undefined;
}

const FIRST: ThingCursor = { playerId: '', module: '', thingId: '' };
const START: Place = { thing: FIRST, row: 'start' };

/**
 * Compares the timer rows of things with the things, all the time and slowly: 20,000 homes of five things within a
 * minute, a few thousand rows a second. Nobody needs it while all goes well; a row that somebody removed, moved or
 * ended by hand would be noticed only when its player comes back.
 */
export class RowCheck {
  readonly #dependencies: Dependencies;
  #place: Place = START;
  #beganAtMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  tick = async (): Promise<number> => {
    const { exclusive, heal, monotonicMs } = this.#dependencies;
    if (!(await exclusive.tryHold())) return LOOK_EVERY_MS;
    if (this.#place === START) this.#beganAtMs = monotonicMs();
    const suspects = await this.#nextSuspects();
    for (let at = 0; at < suspects.length; at += HEALED_AT_ONCE) await heal(suspects.slice(at, at + HEALED_AT_ONCE));
    if (this.#place.thing !== undefined || this.#place.row !== undefined) return BETWEEN_TURNS_MS;
    this.#place = START;
    return Math.max(BETWEEN_TURNS_MS, this.#beganAtMs + PASS_EVERY_MS - monotonicMs());
  };

  async #nextSuspects(): Promise<readonly string[]> {
    const { store } = this.#dependencies;
    const { thing, row } = this.#place;
    const nowMs = await store.nowMs();
    const due = thing === undefined ? undefined : await store.dueThings(thing, THINGS);
    const found = row === undefined ? undefined : await store.ghosts(row === 'start' ? undefined : row, ROWS);
    this.#place = { thing: due?.next, row: found?.next };
    const strays = due?.things.filter((one) => !isAsItShould(one, nowMs)) ?? [];
    return [...new Set([...strays.map(({ playerId }) => playerId), ...(found?.owners ?? [])])];
  }
}

const isAsItShould = ({ dueAtMs, row }: DueThing, nowMs: number): boolean =>
  row !== undefined && isInPlace(row, dueAtMs, nowMs);
