import type { Sql } from '../../../shared/host-rows.ts';
import type { Lateness } from '../recurrence/misfire.ts';
import type { Recurrence } from '../recurrence/recurrence.ts';
import type { PageCursor, Pruned, PruneQuery, RowPage, TimerRef } from './index-entry.ts';
import type { RegisteredKind, Timer, TimerState } from './timer.ts';
import type {
  ChangeOutcome,
  KindsChange,
  OwnersChange,
  ScheduleOutcome,
  ScheduleRequest,
  TimerChange,
  TimerTarget,
} from './timer-changes.ts';

/** An open transaction. A client of `pg` is one; the tests' fake has its own, without SQL. */
export interface Tx extends Sql {
  /** False in a handler: a row or a home that another transaction has locked throws `Locked` at once. */
  readonly waitsForLocks?: boolean;
}

/** A row's new state after a fire or a failed attempt. Applied only if the row still has `revision`. */
export interface TimerUpdate {
  readonly timerId: string;
  readonly revision: number;
  readonly state: TimerState;
  readonly fireAtMs: number;
  readonly attempt: number;
  readonly lastError?: string | undefined;
  readonly result?: unknown;
  /** The timer comes again: the same row, with another turn. */
  readonly again?: NextTurn | undefined;
  /** The judgement of the turn, or of `again` if given. Stored until the timer comes again or its due time changes. */
  readonly lateness?: Lateness | undefined;
}

/** The fields of a saved row that the index needs. */
export type SavedTimer = Pick<Timer, 'id' | 'owner' | 'state' | 'fireAtMs' | 'revision'>;

/** The row retains its payload or recurrence if none is given. */
export interface NextTurn {
  readonly dueAtMs: number;
  /** The number of the turn, above the row's; skipped turns are counted. */
  readonly turn: number;
  readonly payload?: unknown;
  readonly recurrence?: Recurrence | undefined;
}

/**
 * Moves a row's fire time, so that no process fires it for a while. `claims` 1: a call begins. 0: the timer only has to
 * wait. -1: a claim is undone before its call. Applied only if the row still has `revision`.
 */
export interface TimerDeferral {
  readonly timerId: string;
  readonly revision: number;
  /** The next fire time is the store's time plus this. Whole. */
  readonly byMs: number;
  /** Added to the row's count of claims. */
  readonly claims: 1 | 0 | -1;
}

/** The sweeper ignores this home's timers until `untilMs`: settling failed, or there was no room. */
export interface HomeHold {
  readonly owner: string;
  readonly untilMs: number;
  /** Failed settles in a row; 0 leaves count and error unchanged. */
  readonly attempt: number;
  readonly lastError?: string | undefined;
}

export interface OverdueQuery {
  readonly kinds: readonly string[];
  readonly after: PageCursor | undefined;
  /** Overdue: scheduled, with `fireAtMs <= beforeMs`. */
  readonly beforeMs: number;
  /** Rows read, of any kind. */
  readonly limit: number;
}

export interface TimersAt {
  readonly timers: readonly Timer[];
  /** The store's clock, whole epoch milliseconds, read under the locks. */
  readonly nowMs: number;
}

/** A row at the revision that was read. */
export type SeenTimer = Pick<Timer, 'id' | 'revision'>;

/** Fires locked timers in their transaction; returns the updates of the rows. */
export type FireWork = (tx: Tx, locked: TimersAt) => Promise<readonly TimerUpdate[]>;

/**
 * The timer rows. Set-based; every list may be empty. Errors of the world are thrown unchanged; `isWorldFault`
 * recognises them. Methods with a `tx` change nothing before its commit, and lock rows in the order of their ids.
 */
export interface TimerStore
  extends RowTransactions,
    RowChanges,
    CommandRows,
    FiringRows,
    ThingRows,
    RowLookups,
    RowPages,
    KindStore {}

/** Transactions and their time. */
export interface RowTransactions {
  /**
   * Runs `work` in a transaction: commits when it returns, rolls back and rethrows when it throws. `nowMs` is the
   * store's time at the begin.
   */
  transaction<T>(work: (tx: Tx, nowMs: number) => Promise<T>): Promise<T>;

  /** Whether the store failed, not the timer. For an error of a game's code: only if the store's own connection was lost. */
  isWorldFault(error: unknown): boolean;

  /** Whether another transaction blocked a statement on the store's own connection. */
  isContention(error: unknown): boolean;

  /** The store's clock; with `tx`, read in that transaction. */
  nowMs(tx?: Tx): Promise<number>;
}

/** Changes by games and operators of timers of own kinds. */
export interface RowChanges {
  /**
   * Inserts rows, or moves rows with the same keys. The outcomes have the order of the requests, as if the requests ran
   * one after another. Without `tx`: its own commit, of nothing if it throws; a request that takes a second statement
   * is then left undone, with the outcome undefined, unless it is the only one.
   */
  schedule(timers: readonly ScheduleRequest[], tx?: Tx): Promise<readonly (ScheduleOutcome | undefined)[]>;

  /** Changes rows, the same row in order. Returns `derived` for a thing's timer. Without `tx`: as `schedule`. */
  change(changes: readonly TimerChange[], tx?: Tx): Promise<readonly (ChangeOutcome | undefined)[]>;

  /** Cancels or shifts the scheduled timers of owners, except those with these ids; returns the rows. */
  changeByOwner(change: OwnersChange, exceptIds: readonly string[], tx?: Tx): Promise<readonly Timer[]>;

  /** The same for kinds: the next `limit` timers behind an id. */
  changeByKind(change: KindsChange, exceptIds: readonly string[], tx?: Tx): Promise<readonly Timer[]>;
}

/** A call to be done once: the caller's id, and the request as JSON. */
export interface TimerCommand {
  readonly id: string;
  readonly body: object;
}

/** The results of calls by id. */
export interface CommandRows {
  /**
   * Does `work` in the transaction and stores its result as JSON. If the id was used before, returns the stored result
   * instead; undefined if it was used for another body. Waits if another transaction does the same call now.
   */
  once<T>(command: TimerCommand, work: () => Promise<T>, tx: Tx): Promise<T | undefined>;

  /** Deletes up to `limit` results of calls before `beforeMs`; returns how many. */
  pruneCommands(beforeMs: number, limit: number): Promise<number>;
}

/** The engine's work on due rows. */
export interface FiringRows {
  /** Reads scheduled rows, also of things, without locks; leaves out all others. */
  read(timers: readonly TimerRef[]): Promise<TimersAt>;

  /**
   * One transaction: locks the rows that are still scheduled at this revision and that no other transaction has locked,
   * runs `work`, saves the updates and commits. Returns the locked rows. If `work` throws, nothing is changed and the
   * error is thrown. `work` gets a new `Tx`, which waits for no lock and refuses queries after `work` has ended.
   */
  fire(seen: readonly Timer[], work: FireWork): Promise<TimersAt>;

  /**
   * Moves the fire times of scheduled rows and counts claims. Due times, attempts and times of change stay. Returns the
   * rows that were still at the revision and that no other transaction has locked.
   */
  defer(deferrals: readonly TimerDeferral[]): Promise<TimersAt>;

  /**
   * Saves outcomes of fires; returns the rows that still had the revision. Claims count from 0 again. Does not wait for a
   * locked row: throws (`isContention`), and nothing is saved.
   */
  save(updates: readonly TimerUpdate[]): Promise<readonly SavedTimer[]>;
}

/** Timers of things: rows of homes, written with the home. `attempt` and `lastError` belong to the home's hold. */
export interface ThingRows {
  /** The timers that are still due at this revision; takes no locks. */
  stillDue(seen: readonly Timer[]): Promise<TimersAt>;

  hold(holds: readonly HomeHold[]): Promise<void>;
  /** Ends the holds of homes that were settled. */
  release(owners: readonly string[]): Promise<void>;

  /** Due timers of things that failed at least once: latest change first. */
  listStuck(limit: number): Promise<readonly Timer[]>;
}

/** Reads of single timers. */
export interface RowLookups {
  /** By key: the scheduled timer, else the last one that completed or died. */
  find(targets: readonly TimerTarget[]): Promise<readonly (Timer | undefined)[]>;

  /** The owners' scheduled timers in due order. */
  listByOwners(owners: readonly string[]): Promise<readonly Timer[]>;

  /** Dead timers: latest change first. */
  listDead(kinds: readonly string[], limit: number): Promise<readonly Timer[]>;
}

/** All rows, a page at a time. */
export interface RowPages {
  /**
   * Of the next `limit` overdue rows, those of the wanted kinds and of homes without a hold, in order. `next` counts
   * the other rows too, so that they hide nothing behind them.
   */
  overdue(query: OverdueQuery): Promise<RowPage>;

  /** Scheduled rows by `(fireAtMs, id)`, also those of things. */
  page(after: PageCursor | undefined, limit: number): Promise<RowPage>;

  /** Deletes up to `limit` completed and cancelled rows. */
  prune(query: PruneQuery): Promise<Pruned>;

  /** Deletes up to `limit` dead rows in the same way. */
  pruneDead(beforeMs: number, limit: number): Promise<number>;
}

/** The known kinds and the paused ones. */
export interface KindStore {
  /** Records for good that these kinds exist, and how long their rows are retained from now on. */
  registerKinds(kinds: readonly RegisteredKind[]): Promise<void>;
  /** All kinds that any process ever registered, and whether only rules of a module write their timers. */
  registeredKinds(tx?: Tx): Promise<ReadonlyMap<string, boolean>>;
  /** Retention times of kinds that have their own. */
  retentions(): Promise<ReadonlyMap<string, number>>;

  setPaused(kind: string, isPaused: boolean, tx?: Tx): Promise<void>;
  pausedKinds(tx?: Tx): Promise<ReadonlySet<string>>;
}
