import type { MisfirePolicy } from '../recurrence/misfire.ts';
import type { Timer } from './timer.ts';
import type { Tx } from './timer-store.ts';
import type { TimerWriter } from './timer-writes.ts';

/** An owner whose state could not be settled. */
export interface FailedOwner {
  readonly owner: string;
  readonly error: unknown;
  /** Another transaction works on it, so nothing failed: it comes again soon. */
  readonly isLocked: boolean;
}

/** What came of settling owners. */
export interface SettledOwners {
  readonly unsettled: readonly FailedOwner[];
  /** Timers that it moved or ended, by id. */
  readonly moved: ReadonlySet<string>;
}

/** The timers of a module's things: settling the owner moves or ends what was due. Its own path writes the rows. */
export interface DerivedKind {
  readonly kind: string;
  readonly derived: true;
  readonly module: string;
  readonly isRetired: boolean;
  settle(owners: readonly string[]): Promise<SettledOwners>;
}

/** A timer as its handler gets it. */
export interface FiredTimer extends Timer {
  /** It came later than its policy lets it, and the policy is to hand it over. */
  readonly isMisfire: boolean;
  /** How late it was when it was taken first; 0 when it was in time, or nothing asked. */
  readonly lateMs: number;
  /** Turns of its recurrence before this one that came due while nobody fired them. */
  readonly missed: number;
}

/**
 * A kind whose effects are in Postgres: committed with the state change, exactly once. The timers are locked when the
 * handler is called, so its own rows come after them; code that takes both elsewhere keeps to that order.
 */
export interface FireKind {
  readonly kind: string;
  /** All timers are due at `nowMs`. A map returns results by timer id, kept on the rows of those that do not come again. */
  fire(timers: readonly FiredTimer[], tx: HandlerTx, nowMs: number): Promise<ReadonlyMap<string, unknown> | undefined>;
  readonly retryDelaysMs?: readonly number[];
  /** What becomes of its timers that come late. */
  readonly misfire?: MisfirePolicy;
  /** How long completed and cancelled timers are kept; with 0 they are deleted at once. Dead ones stay. Default: the engine's. */
  readonly retentionMs?: number;
}

/** A timer that is called for. */
export interface CalledTimer extends FiredTimer {
  /**
   * `id:turn`: the same in every attempt, also after a time-out or a crash whose outcome nobody knows. Send it to the
   * other side, which then does twice nothing that it has done.
   */
  readonly idempotencyKey: string;
}

/** A kind whose effects are elsewhere (HTTP, mail): at least once, each time with the same `idempotencyKey`. */
export interface CallKind {
  readonly kind: string;
  /**
   * What it returns is kept as the row's result; with `again(dueAtMs)` the timer comes again. `signal` aborts at the time-out, and with a `CallAborted` when the
   * timer was moved or cancelled meanwhile, or the process ends: what the call returns then does not count.
   */
  call(timer: CalledTimer, signal: AbortSignal): Promise<unknown>;
  /** After this the signal aborts and the attempt has failed. Default 10 s. */
  readonly timeoutMs?: number;
  /** Calls at once in one process. Default 16. */
  readonly atOnce?: number;
  readonly retryDelaysMs?: readonly number[];
  /** What becomes of its timers that come late. */
  readonly misfire?: MisfirePolicy;
  /** How long completed and cancelled timers are kept; with 0 they are deleted at once. Dead ones stay. Default: the engine's. */
  readonly retentionMs?: number;
}

/** What a game may register. */
export type TimerKind = FireKind | CallKind;

export type EngineKind = DerivedKind | TimerKind;

/**
 * What a `fire` handler gets: the transaction in which its timers are locked. Each try has a new one, which is of no
 * use afterwards. Lock order: these timers first, then what the handler takes. Timers and homes that another
 * transaction has locked are not waited for: `Locked` is thrown, and the batch comes again after 10 to 100 ms.
 */
export interface HandlerTx extends Tx {
  /**
   * Timer writes in this transaction; the index is told after the commit. `schedule` of a timer that is being fired
   * lets it come again: the same row, its next turn.
   */
  readonly timers: TimerWriter;
  /**
   * Runs `run` after the commit, and not at all if there is none. A crash between the two loses it. What it throws, or
   * rejects with, is logged.
   */
  afterCommit(run: () => unknown): void;
}

export const isHandlerTx = (tx: Tx): tx is HandlerTx => 'afterCommit' in tx;
