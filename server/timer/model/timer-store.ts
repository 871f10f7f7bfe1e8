import type { Sql } from '../../../shared/host-rows.ts';
import type { Lateness } from '../recurrence/misfire.ts';
import type { Recurrence } from '../recurrence/recurrence.ts';
import type { PageCursor, RowPage, TimerRef } from './index-entry.ts';
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

/** An open transaction. A client of `pg` is one; the fake of the tests has its own, without SQL. */
export interface Tx extends Sql {
  /** False in a handler: a row or a home that another transaction has locked throws `Locked` at once. */
  readonly waitsForLocks?: boolean;
}

/** The row's new state after a fire or a failed one. Applies only where the revision is still `revision`. */
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
  /** What the turn was judged to be, the one of `again` if there is one. Kept until then or until the due time changes. */
  readonly lateness?: Lateness | undefined;
}

/** What of a saved row the index is told. */
export type SavedTimer = Pick<Timer, 'id' | 'owner' | 'state' | 'fireAtMs' | 'revision'>;

/** Without a payload or a recurrence the row keeps the one it has. */
export interface NextTurn {
  readonly dueAtMs: number;
  /** The number of the turn. Above the row's; a turn that is skipped is counted. */
  readonly turn: number;
  readonly payload?: unknown;
  readonly recurrence?: Recurrence | undefined;
}

/**
 * A row that nobody is to fire for a while: a call that begins is claimed (`claims: 1`), a timer that has to wait only
 * moves (0), a claim of which nothing came of is given back (-1). Applies only where the revision is still `revision`.
 */
export interface TimerDeferral {
  readonly timerId: string;
  readonly revision: number;
  /** Its next fire time is so long after the store's time. Whole. */
  readonly byMs: number;
  /** What it adds to the count of claims. */
  readonly claims: 1 | 0 | -1;
}

/** A home whose things' timers the sweeper leaves alone until then: it failed, or there was no room. */
export interface HomeHold {
  readonly owner: string;
  readonly untilMs: number;
  /** Failed looks in a row; 0 leaves the count, and the error, as they are. */
  readonly attempt: number;
  readonly lastError?: string | undefined;
}

export interface OverdueQuery {
  readonly kinds: readonly string[];
  readonly after: PageCursor | undefined;
  /** Overdue: scheduled, with `fireAtMs <= beforeMs`. */
  readonly beforeMs: number;
  /** Rows looked at, of whatever kind. */
  readonly limit: number;
}

export interface TimersAt {
  readonly timers: readonly Timer[];
  /** The store's clock, whole epoch milliseconds, read after the locks were held. */
  readonly nowMs: number;
}

/** A row as somebody read it. */
export type SeenTimer = Pick<Timer, 'id' | 'revision'>;

/** Has the effects of locked timers, in their transaction; returns what becomes of the rows. */
export type FireWork = (tx: Tx, locked: TimersAt) => Promise<readonly TimerUpdate[]>;

/**
 * The timer rows. Set-based; every list may be empty. Errors of the world are thrown as they come and recognised by
 * `isWorldFault`. Methods with a `tx` change nothing before its commit and lock rows in the order of their ids.
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

/** Transactions, and the time that they go by. */
export interface RowTransactions {
  /**
   * Runs `work` in a transaction: commits when it returns, rolls back and rethrows when it throws. `nowMs` is the
   * store's clock when it began.
   */
  transaction<T>(work: (tx: Tx, nowMs: number) => Promise<T>): Promise<T>;

  /** The store failed, not the timer. Of what code of the game threw: only that the store's own connection was lost. */
  isWorldFault(error: unknown): boolean;

  /** Another transaction was in the way of a statement on a connection of the store's own. */
  isContention(error: unknown): boolean;

  /** The store's clock; inside of a transaction asked there. */
  nowMs(tx?: Tx): Promise<number>;
}

/** What games and operators want of timers of own kinds. */
export interface RowChanges {
  /**
   * Inserts rows, or moves those that have the keys. Outcomes in the order of the requests, each as if it had come after
   * those before it. Without `tx`: its own commit.
   */
  schedule(timers: readonly ScheduleRequest[], tx?: Tx): Promise<readonly ScheduleOutcome[]>;

  /**
   * Changes rows, one after the other as far as they concern the same row; of a thing's timer it says `derived`. Without
   * `tx`: its own commit.
   */
  change(changes: readonly TimerChange[], tx?: Tx): Promise<readonly ChangeOutcome[]>;

  /** Cancels or shifts the scheduled timers of owners, but for those with these ids; returns the rows. */
  changeByOwner(change: OwnersChange, exceptIds: readonly string[], tx?: Tx): Promise<readonly Timer[]>;

  /** The same for those of kinds, the next `limit` behind an id. */
  changeByKind(change: KindsChange, exceptIds: readonly string[], tx?: Tx): Promise<readonly Timer[]>;
}

/** A call that is to be done once: the caller's id, and what is wanted, as JSON has it. */
export interface TimerCommand {
  readonly id: string;
  readonly body: object;
}

/** What calls with an id did. */
export interface CommandRows {
  /**
   * Does `work` in the transaction, and keeps what it returns, unless that was done before: then it returns what was
   * kept, as JSON has it. Undefined where the id stands for another body. Waits for who does it at this moment.
   */
  once<T>(command: TimerCommand, work: () => Promise<T>, tx: Tx): Promise<T | undefined>;

  /** Forgets up to `limit` commands done before `beforeMs`; returns how many. */
  pruneCommands(beforeMs: number, limit: number): Promise<number>;
}

/** What the engine does with rows that are due. */
export interface FiringRows {
  /** Reads scheduled rows without locks, also those of things. Any others are left out. */
  read(timers: readonly TimerRef[]): Promise<TimersAt>;

  /**
   * One transaction: locks those that are still scheduled at this revision, hence as they are here, and that nobody else
   * has locked, runs `work`, saves what it returns, and commits. Returns what was locked. Throws what `work` throws, and nothing is changed.
   * `work` gets a new `Tx` each time, which waits for no lock and refuses queries once `work` has ended.
   */
  fire(seen: readonly Timer[], work: FireWork): Promise<TimersAt>;

  /**
   * Moves the fire times of scheduled rows, claims counted, without touching when they are due, their attempts or when
   * they were last changed. Returns the rows that were still at the revision and that nobody else has locked.
   */
  defer(deferrals: readonly TimerDeferral[]): Promise<TimersAt>;

  /** Saves what a fire did; returns the rows that were still at the revision. Claims count from 0 again. */
  save(updates: readonly TimerUpdate[]): Promise<readonly SavedTimer[]>;
}

/** Timers of things: rows of the homes, which their own path writes. `attempt` and `lastError` are of the home's hold. */
export interface ThingRows {
  /** Those that are still due at this revision, hence as they are here, without locks. */
  stillDue(seen: readonly Timer[]): Promise<TimersAt>;

  hold(holds: readonly HomeHold[]): Promise<void>;
  /** These homes were settled. */
  release(owners: readonly string[]): Promise<void>;

  /** Timers of things that are due, and failed at least once: latest change first. */
  listStuck(limit: number): Promise<readonly Timer[]>;
}

/** Single timers, for those who ask about them. */
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
   * Of the next `limit` overdue rows those of the asked kinds, in order, and not those of homes on hold. `next` counts the
   * others too, so that nothing hides behind them.
   */
  overdue(query: OverdueQuery): Promise<RowPage>;

  /** Scheduled rows by `(fireAtMs, id)`, also those of things. */
  page(after: PageCursor | undefined, limit: number): Promise<RowPage>;

  /** Deletes up to `limit` completed and cancelled rows, the longest finished first; returns how many. */
  prune(query: PruneQuery): Promise<number>;

  /** The same for dead ones. */
  pruneDead(beforeMs: number, limit: number): Promise<number>;
}

/** Rows that were finished in `[fromMs, beforeMs)`, of `kinds`, or of all others. */
export interface PruneQuery {
  readonly fromMs: number;
  readonly beforeMs: number;
  readonly kinds: readonly string[];
  readonly isOfOthers: boolean;
  readonly limit: number;
}

/** Which kinds there are, and which of them are paused. */
export interface KindStore {
  /** Writes down that there are these kinds, for good, and how long each keeps its rows from now on. */
  registerKinds(kinds: readonly RegisteredKind[]): Promise<void>;
  /** All kinds that any process ever registered. */
  registeredKinds(tx?: Tx): Promise<ReadonlySet<string>>;
  /** Of the kinds that have a retention of their own. */
  retentions(): Promise<ReadonlyMap<string, number>>;

  setPaused(kind: string, isPaused: boolean, tx?: Tx): Promise<void>;
  pausedKinds(tx?: Tx): Promise<ReadonlySet<string>>;
}
