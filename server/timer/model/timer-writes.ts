import type { Cron, Every } from '../recurrence/recurrence.ts';
import type { DueTime, Timer } from './timer.ts';
import type {
  ChangeOfMany,
  ChangeOutcome,
  NewTimer,
  OwnersChange,
  Reused,
  ScheduleOutcome,
  ScheduleRequest,
  TimerChange,
  TimerFields,
  TimerTarget,
} from './timer-changes.ts';
import type { TimerCommand } from './timer-store.ts';

/** `derived`: only the rules of a thing write timers of this kind. */
export type ScheduleAnswer = ScheduleOutcome | { readonly outcome: 'derived' } | Reused;

/** A timer that gets its due time from its recurrence. */
export type Undated = TimerFields & { readonly dueAtMs?: undefined; readonly inMs?: undefined };

/**
 * A timer to schedule. With a cron, or an interval with a begin, the first due time may be left out: it is then the
 * next one from now.
 */
export type TimerRequest =
  | NewTimer
  | (Undated & { readonly cron: Cron })
  | (Undated & { readonly every: Every & { readonly fromMs: number } });

/**
 * The writes of the public API: arrays in, outcomes out, in the same order. They throw `OptionsRefused` with all faults
 * of the items, before anything is written: an instant is whole milliseconds before the year 2109, a name has 1 to 512
 * characters, no NUL and no half surrogate pair. With an `idempotencyKey` the whole call is done once, in its own
 * transaction. If it is sent again, also to another process or after an unknown outcome, it returns the first outcomes,
 * for as long as finished timers are retained. `reused`: the key belongs to another call, and nothing was done; calls by
 * owner throw `TimerRefused` (`key/reused`) instead.
 */
export interface TimerWriter extends TimerSchedules, TimerMoves, TimerEndings, KindChanges {}

/**
 * A due time is `dueAtMs`, or `inMs` from now by the store's clock. Throws `TimerRefused` (`kind/unknown`) for a kind
 * that no process has ever registered.
 */
export interface TimerSchedules {
  /** `duplicate`: a timer with this `(kind, subject)` is scheduled already and stays unchanged. */
  schedule(timers: readonly TimerRequest[], options?: OnceOnly): Promise<readonly ScheduleAnswer[]>;
  /**
   * `moved`: a timer with this `(kind, subject)` is scheduled already. It gets the due time, and the payload,
   * recurrence and policy if given. A different payload is a new order: the next `turn`, so another `idempotencyKey`.
   * `duplicate`: that timer belongs to another owner and stays unchanged.
   */
  scheduleOrMove(timers: readonly TimerRequest[], options?: OnceOnly): Promise<readonly ScheduleAnswer[]>;
}

export interface TimerMoves {
  reschedule(items: readonly (TimerTarget & DueTime)[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
  /** Moves the due time by `byMs`, which may be negative; a timer with a past due time fires at once. */
  shift(
    items: readonly (TimerTarget & { readonly byMs: number })[],
    options?: OnceOnly,
  ): Promise<readonly ChangeOutcome[]>;
  /** Shifts all timers of own kinds of these owners, or only of `kinds`; returns the shifted timers. */
  shiftByOwner(owners: readonly string[], byMs: number, options?: OfKinds & OnceOnly): Promise<readonly Timer[]>;
  /**
   * Fires timers now, by the store's clock, and resets their attempts. Resumes paused timers. A recurring timer retains
   * its due time: its coming turn fires now, and the turn after that comes at its usual time.
   */
  fireNow(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
  /** Changes only the payload (`null` is one). It is a new order: the next `turn`, not counted in `times`. */
  setPayload(
    items: readonly (TimerTarget & { readonly payload: unknown })[],
    options?: OnceOnly,
  ): Promise<readonly ChangeOutcome[]>;
  /**
   * Pauses timers. They retain their due times and do not fire before `resume`, even if that is late. To make time
   * stand still for them, `shift` them as well.
   */
  pause(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
  /** Lets timers fire when due; at once if that is past. */
  resume(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
}

export interface TimerEndings {
  /** Ends timers as if they had fired and stores `result` on their rows. No handler is called. */
  complete(
    targets: readonly (TimerTarget & { readonly result?: unknown })[],
    options?: OnceOnly,
  ): Promise<readonly ChangeOutcome[]>;
  cancel(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
  /** Cancels all timers of own kinds of these owners; returns the cancelled timers. */
  cancelByOwner(owners: readonly string[], options?: OnceOnly): Promise<readonly Timer[]>;
  /**
   * Schedules dead timers for now and resets their attempts. In a transaction it fails with 23505 if another one, which
   * is open, has scheduled the key and then commits.
   */
  revive(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
}

/**
 * Changes timers of all owners, in batches that commit one by one except in a transaction. Returns how many. If it
 * throws, batches before that remain.
 */
export interface KindChanges {
  shiftByKind(kinds: readonly string[], byMs: number): Promise<number>;
  cancelByKind(kinds: readonly string[]): Promise<number>;
}

export interface OnceOnly {
  /** A key of the caller's, unique among all calls of all processes: 1 to 512 characters. */
  readonly idempotencyKey?: string;
}

export interface OfKinds {
  /** Default: all own kinds. */
  readonly kinds?: readonly string[];
}

export type ChangeOfKinds = { readonly kinds: readonly string[] } & ChangeOfMany;

/** Where writes go: a coalesced batch with its own commit, or a transaction. No list is empty. */
export interface TimerWrites {
  schedule(timers: readonly ScheduleRequest[]): Promise<readonly ScheduleOutcome[]>;
  change(changes: readonly TimerChange[]): Promise<readonly ChangeOutcome[]>;
  changeByOwner(change: OwnersChange): Promise<readonly Timer[]>;
  /** In bounded batches; returns how many. */
  changeByKind(change: ChangeOfKinds): Promise<number>;
}

/** The result of a call for one timer. */
export type Written = Timer | ChangeOutcome | ScheduleAnswer;

/** Plain writes, and calls that are done once for their key. */
export interface TimerWritePath {
  /** For calls without a key. */
  readonly writes: TimerWrites;
  /** Undefined: the key belongs to another call. */
  readonly once: <T extends readonly Written[]>(
    command: TimerCommand,
    work: (writes: TimerWrites) => Promise<T>,
  ) => Promise<T | undefined>;
}
