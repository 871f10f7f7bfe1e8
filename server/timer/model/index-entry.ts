import type { Timer } from './timer.ts';

export interface IndexEntry {
  readonly timerId: string;
  readonly owner: string;
  /** Epoch milliseconds, whole, of magnitude below 2^42. */
  readonly fireAtMs: number;
  readonly revision: number;
}

/** A delivery's reference to a timer, with which its row is found. */
export type TimerRef = Pick<IndexEntry, 'timerId' | 'owner'>;

export interface IndexRemoval {
  readonly timerId: string;
  readonly owner: string;
  /** Only an entry that is not newer is removed. */
  readonly revision: number;
}

/** The index entry of a scheduled row. */
export const entryOf = (timer: Pick<Timer, 'id' | 'owner' | 'fireAtMs' | 'revision'>): IndexEntry => ({
  timerId: timer.id,
  owner: timer.owner,
  fireAtMs: timer.fireAtMs,
  revision: timer.revision,
});

/** Changes to publish to the index after the commit. */
export interface IndexChanges {
  readonly put: readonly IndexEntry[];
  readonly remove: readonly IndexRemoval[];
}

/** The changes to publish for written rows. If a row appears twice, the index keeps the newest state. */
export const indexChangesOf = (
  rows: readonly Pick<Timer, 'id' | 'owner' | 'state' | 'fireAtMs' | 'revision'>[],
): IndexChanges => ({
  put: rows.filter(({ state }) => state === 'scheduled').map(entryOf),
  remove: rows.filter(({ state }) => state !== 'scheduled').map(entryOf),
});

export interface PageCursor {
  readonly fireAtMs: number;
  readonly timerId: string;
}

export interface RowPage {
  readonly entries: readonly IndexEntry[];
  /** Where the next page begins; undefined at the end. */
  readonly next: PageCursor | undefined;
}

/** Rows that finished in `[fromMs, beforeMs)`, of `kinds` or of all others. */
export interface PruneQuery {
  readonly fromMs: number;
  readonly beforeMs: number;
  readonly kinds: readonly string[];
  readonly isOfOthers: boolean;
  readonly limit: number;
  /** Rows read, of any kind; more only if they finished in the same millisecond. */
  readonly most: number;
}

export interface Pruned {
  readonly count: number;
  /** Rows that finished before it have been read. */
  readonly readToMs: number;
}
