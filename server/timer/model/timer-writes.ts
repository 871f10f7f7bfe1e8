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

/** `derived`: only the path of its state writes this kind. */
export type ScheduleAnswer = ScheduleOutcome | { readonly outcome: 'derived' } | Reused;

/** A timer whose due time its recurrence says. */
export type Undated = TimerFields & { readonly dueAtMs?: undefined; readonly inMs?: undefined };

/**
 * A timer to schedule. One that comes by the calendar, or by an interval that says when it begins, may leave its first due
 * time to that: the next one from now.
 */
export type TimerRequest =
  | NewTimer
  | (Undated & { readonly cron: Cron })
  | (Undated & { readonly every: Every & { readonly fromMs: number } });

/**
 * The writes of the public API: arrays in, outcomes out, in order. They throw `OptionsRefused` before anything is
 * written, with all that is wrong with the items: an instant is whole milliseconds before the year 2109, a name has 1 to
 * 512 characters and no NUL.
 *
 * With an `idempotencyKey` the whole call is done once, in a transaction of its own: sent again, also to another process
 * or after an outcome that nobody knows, it returns the first outcomes, for as long as finished timers are kept.
 * `reused`: the key stands for another call, and nothing was done; calls by owner throw `TimerRefused` (`key/reused`).
 */
export interface TimerWriter extends TimerSchedules, TimerMoves, TimerEndings, KindChanges {}

/**
 * A due time is `dueAtMs`, or `inMs` from now by the store's clock. They throw `TimerRefused` (`kind/unknown`) for a
 * kind that no process ever registered.
 */
export interface TimerSchedules {
  /** `duplicate` when a timer with this `(kind, subject)` is scheduled already; it stays as it is. */
  schedule(timers: readonly TimerRequest[], options?: OnceOnly): Promise<readonly ScheduleAnswer[]>;
  /**
   * `moved` when a timer with this `(kind, subject)` is scheduled already: it gets the due time, and the payload, the
   * recurrence and the policy that are given. Another payload is another order: its next `turn`, so another
   * `idempotencyKey`. `duplicate` when it is another owner's; it stays as it is.
   */
  scheduleOrMove(timers: readonly TimerRequest[], options?: OnceOnly): Promise<readonly ScheduleAnswer[]>;
}

export interface TimerMoves {
  reschedule(items: readonly (TimerTarget & DueTime)[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
  /** Moves the due time by `byMs`, which may be negative; a due time that is past fires at once. */
  shift(
    items: readonly (TimerTarget & { readonly byMs: number })[],
    options?: OnceOnly,
  ): Promise<readonly ChangeOutcome[]>;
  /** Shifts all timers of own kinds of these owners, or those of `kinds`; returns those it shifted. */
  shiftByOwner(owners: readonly string[], byMs: number, options?: OfKinds & OnceOnly): Promise<readonly Timer[]>;
  /**
   * Fires timers now, by the store's clock, with all their attempts before them. Resumes paused ones. One that comes again
   * keeps its due time: its coming turn fires now, and the next one comes when it would have come.
   */
  fireNow(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
  /**
   * Another payload, and nothing else: `null` is one. That is another order, so the next `turn`, and no turn of `times`.
   */
  setPayload(
    items: readonly (TimerTarget & { readonly payload: unknown })[],
    options?: OnceOnly,
  ): Promise<readonly ChangeOutcome[]>;
  /**
   * Holds timers back. They keep their due times, and do not fire before they are resumed, even if that is late. For
   * timers whose time is to stand still: `shift` them as well.
   */
  pause(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
  /** Lets them fire when they are due, or at once if that is past. */
  resume(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
}

export interface TimerEndings {
  /** Ends timers as if they had fired; `result` is kept on their rows. Nothing is called. */
  complete(
    targets: readonly (TimerTarget & { readonly result?: unknown })[],
    options?: OnceOnly,
  ): Promise<readonly ChangeOutcome[]>;
  cancel(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
  /** Cancels all timers of own kinds of these owners; returns those it cancelled. */
  cancelByOwner(owners: readonly string[], options?: OnceOnly): Promise<readonly Timer[]>;
  /** Schedules dead timers for now, with all their attempts before them. */
  revive(targets: readonly TimerTarget[], options?: OnceOnly): Promise<readonly ChangeOutcome[]>;
}

/** Of all owners, a bounded batch after the other: each is committed by itself, but in a transaction. Return how many. */
export interface KindChanges {
  shiftByKind(kinds: readonly string[], byMs: number): Promise<number>;
  cancelByKind(kinds: readonly string[]): Promise<number>;
}

export interface OnceOnly {
  /** The caller's own, for all calls of all processes: 1 to 512 characters. */
  readonly idempotencyKey?: string;
}

export interface OfKinds {
  /** Default: all own kinds. */
  readonly kinds?: readonly string[];
}

export type ChangeOfKinds = { readonly kinds: readonly string[] } & ChangeOfMany;

/** Where writes go: a coalesced batch with its own commit, or a transaction. None of the lists is empty. */
export interface TimerWrites {
  schedule(timers: readonly ScheduleRequest[]): Promise<readonly ScheduleOutcome[]>;
  change(changes: readonly TimerChange[]): Promise<readonly ChangeOutcome[]>;
  changeByOwner(change: OwnersChange): Promise<readonly Timer[]>;
  /** In bounded batches; returns how many. */
  changeByKind(change: ChangeOfKinds): Promise<number>;
}

/** What a call returns for a timer. */
export type Written = Timer | ChangeOutcome | ScheduleAnswer;

/** Writes, and calls that are done once for their key. */
export interface TimerWritePath {
  /** Of calls without a key. */
  readonly writes: TimerWrites;
  /** Undefined: the key stands for another call. */
  readonly once: <T extends readonly Written[]>(
    command: TimerCommand,
    work: (writes: TimerWrites) => Promise<T>,
  ) => Promise<T | undefined>;
}
