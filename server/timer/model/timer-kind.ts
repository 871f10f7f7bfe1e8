import { handleRejection } from '../../../shared/game-code.ts';
import type { MisfirePolicy } from '../recurrence/misfire.ts';
import type { Timer } from './timer.ts';
import type { Tx } from './timer-store.ts';
import type { TimerWriter } from './timer-writes.ts';

/** An owner that could not be settled. */
export interface FailedOwner {
  readonly owner: string;
  readonly error: unknown;
  /** Another transaction has locked it, so nothing failed: the timer is retried soon. */
  readonly isLocked: boolean;
}

/** The outcome of settling owners. */
export interface SettledOwners {
  readonly unsettled: readonly FailedOwner[];
  /** Ids of the timers that settling moved or ended. */
  readonly moved: ReadonlySet<string>;
}

/** The timers of a module's things. Settling the owner moves or ends its due timers and writes their rows. */
export interface DerivedKind {
  readonly kind: string;
  readonly derived: true;
  readonly module: string;
  readonly isRetired: boolean;
  settle(owners: readonly string[]): Promise<SettledOwners>;
}

/** A timer as its handler receives it. */
export interface FiredTimer extends Timer {
  /** The timer is later than its policy allows, and the policy says `hand`. */
  readonly isMisfire: boolean;
  /** How late the timer was when its first attempt began; 0 if it was in time or no policy applies. */
  readonly lateMs: number;
  /** Earlier turns of its recurrence that came due and did not fire. */
  readonly missed: number;
}

/**
 * A kind with effects in Postgres: committed with the state change, exactly once. The timers are locked before the
 * handler is called, its own rows after that. Other code that locks both must use the same order.
 */
export interface FireKind {
  readonly kind: string;
  /** All timers are due at `nowMs`. Returns results by timer id: they are stored on the rows that do not come again. */
  fire(timers: readonly FiredTimer[], tx: HandlerTx, nowMs: number): Promise<ReadonlyMap<string, unknown> | undefined>;
  readonly retryDelaysMs?: readonly number[];
  /** The rule for late timers of this kind. */
  readonly misfire?: MisfirePolicy;
  /** How long completed and cancelled rows are retained; 0: deleted at once. Dead ones stay. Default: the engine's setting. */
  readonly retentionMs?: number;
}

/** A timer as a `call` receives it. */
export interface CalledTimer extends FiredTimer {
  /**
   * `id:turn`: the same in every attempt, also after a time-out or crash with an unknown outcome. Send it to the other
   * system, so that this system does nothing twice. The key is unique in one database: put the installation's name in
   * front if several installations call one receiver.
   */
  readonly idempotencyKey: string;
}

/** A kind with effects elsewhere (HTTP, mail): at least once, each time with the same `idempotencyKey`. */
export interface CallKind {
  readonly kind: string;
  /**
   * The returned value is stored as the row's result; with `again(dueAtMs)` the timer comes again. `signal` aborts at
   * the time-out. It aborts with a `CallAborted` if the timer was moved or cancelled or the process ends: then the
   * result does not count.
   */
  call(timer: CalledTimer, signal: AbortSignal): Promise<unknown>;
  /** The time-out: after it the signal aborts and the attempt has failed. Default 10 s. */
  readonly timeoutMs?: number;
  /** The most calls at once in one process. Default 16. */
  readonly atOnce?: number;
  readonly retryDelaysMs?: readonly number[];
  /** The rule for late timers of this kind. */
  readonly misfire?: MisfirePolicy;
  /** How long completed and cancelled rows are retained; 0: deleted at once. Dead ones stay. Default: the engine's setting. */
  readonly retentionMs?: number;
}

/** A kind that a game may register. */
export type TimerKind = FireKind | CallKind;

export type EngineKind = DerivedKind | TimerKind;

/**
 * A `fire` handler's transaction, in which its timers are locked. Each try gets a new one, which must not be used
 * afterwards. Lock order: these timers first, then the rows of the handler. It waits for no lock: if another
 * transaction has locked a timer or home, `Locked` is thrown and the batch is retried after 10 to 100 ms.
 */
export interface HandlerTx extends Tx {
  /**
   * Timer writes in this transaction; the index is updated after the commit. `schedule` of a timer that fires now makes
   * it come again: the same row, its next turn.
   */
  readonly timers: TimerWriter;
  /**
   * Runs `run` after the commit; not at all if the transaction rolls back or the process crashes in between. An error
   * that it throws or rejects with is logged. Throws `TransactionRefused` after the handler has returned.
   */
  afterCommit(run: () => unknown): void;
}

export const isHandlerTx = (tx: Tx): tx is HandlerTx => 'afterCommit' in tx;

interface Calls {
  readonly onRefused: (error: unknown) => void;
  readonly running: Set<unknown>;
}

const callsOf = new WeakMap<Tx, Calls>();

/** From now on `onRefused` gets errors of calls in the transaction that are passed to `noteCall`. */
export const receiveRefusals = (tx: Tx, onRefused: (error: unknown) => void): unknown =>
  callsOf.set(tx, { onRefused, running: new Set() });

/** Returns the call. An error of a call that the game does not await would end the process. */
export const noteCall = <Call>(tx: Tx | undefined, call: Call): Call => {
  const calls = tx && callsOf.get(tx);
  if (!calls) return call;
  const { running, onRefused } = calls;
  running.add(call);
  handleRejection(
    Promise.resolve(call).finally(() => running.delete(call)),
    onRefused,
  );
  return call;
};

/** The writer with all its calls noted. */
export const noteCalls = (tx: () => Tx, writer: TimerWriter): TimerWriter => {
  const calls = Object.entries(writer).map(([name, call]: [string, (...given: never[]) => unknown]) => [
    name,
    (...given: never[]): unknown => noteCall(tx(), call(...given)),
  ]);
  return Object.fromEntries(calls) as TimerWriter;
};

/** Resolves when all noted calls have ended, also those that the game does not await: a part of one must not be committed. */
export const callsEnded = async (tx: Tx): Promise<void> => {
  const running = callsOf.get(tx)?.running;
  while (running && running.size > 0) await Promise.allSettled(running);
};
