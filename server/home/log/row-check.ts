import type { Pet } from '../../../shared/home.ts';
import { dueOf } from '../../domain/feeding.ts';
import type { Exclusive } from '../../runtime/exclusive.ts';
import type { PageCursor } from '../../timer/model/timer-store.ts';
import { type FeedingRow, isInPlace } from '../model/timer-rows.ts';

/** Feedings compared in a turn. */
const FEEDINGS = 500;
/** Timer rows looked at in a turn, of whatever kind: only those come back that are of no feeding. */
const ROWS = 2000;
const BETWEEN_TURNS_MS = 100;
/** From the start of one pass to that of the next. */
const PASS_EVERY_MS = 30_000;
const LOOK_EVERY_MS = 1000;
/** Homes healed at once. */
const HEALED_AT_ONCE = 100;

/** A feeding that runs, and its timer row, if there is one of this owner's. */
export interface RunningFeeding {
  readonly playerId: string;
  readonly pet: Pet;
  readonly row: Omit<FeedingRow, 'subject'> | undefined;
}

/** The rows as they are, without locks; each answer is of one snapshot. Errors come as the driver throws them. */
export interface RowCheckStore {
  nowMs(): Promise<number>;
  /** The next `limit` in the order of their pets' ids; `next` is undefined at the end. */
  runningFeedings(
    after: string,
    limit: number,
  ): Promise<{ readonly feedings: readonly RunningFeeding[]; readonly next: string | undefined }>;
  /** The owners of those of the next `limit` scheduled timers that are of a feeding which does not run. */
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
  readonly petId: string | undefined;
  readonly row: PageCursor | 'start' | undefined;
}

const START: Place = { petId: '', row: 'start' };

/**
 * Compares the timer rows of feedings with the feedings, all the time and slowly: 20,000 homes of five pets within a
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
    if (this.#place.petId !== undefined || this.#place.row !== undefined) return BETWEEN_TURNS_MS;
    this.#place = START;
    return Math.max(BETWEEN_TURNS_MS, this.#beganAtMs + PASS_EVERY_MS - monotonicMs());
  };

  async #nextSuspects(): Promise<readonly string[]> {
    const { store } = this.#dependencies;
    const { petId, row } = this.#place;
    const nowMs = await store.nowMs();
    const running = petId === undefined ? undefined : await store.runningFeedings(petId, FEEDINGS);
    const found = row === undefined ? undefined : await store.ghosts(row === 'start' ? undefined : row, ROWS);
    this.#place = { petId: running?.next, row: found?.next };
    const strays = running?.feedings.filter((feeding) => !isAsItShould(feeding, nowMs)) ?? [];
    return [...new Set([...strays.map(({ playerId }) => playerId), ...(found?.owners ?? [])])];
  }
}

const isAsItShould = ({ pet, row }: RunningFeeding, nowMs: number): boolean => {
  const dueAtMs = dueOf(pet);
  return dueAtMs !== undefined && row !== undefined && isInPlace(row, dueAtMs, nowMs);
};
