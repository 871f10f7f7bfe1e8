import type { Cron } from '../recurrence/recurrence.ts';
import type { Timer } from './timer.ts';
import type { ChangeOutcome, NewTimer, ScheduleOutcome, TimerChange, TimerTarget } from './timer-store.ts';

/** `derived`: only the path of its state writes this kind. */
export type ScheduleAnswer = ScheduleOutcome | { readonly outcome: 'derived' };

/** A timer to schedule. One that comes by the calendar may leave its first due time to that: the next one from now. */
export type TimerRequest =
  | NewTimer
  | (Omit<NewTimer, 'dueAtMs'> & { readonly dueAtMs?: undefined; readonly cron: Cron });

/**
 * The writes of the public API: arrays in, outcomes out, in order. They throw `RangeError` for an instant that is not
 * a whole number of milliseconds before the year 2109, and for a name that is empty, too long, or holds NUL.
 */
export interface TimerWriter {
  /**
   * `duplicate` when a timer with this `(kind, subject)` is scheduled already; it stays as it is. Throws `ScheduleRefused`
   * for a recurrence or a policy that cannot work.
   */
  schedule(timers: readonly TimerRequest[]): Promise<readonly ScheduleAnswer[]>;
  reschedule(items: readonly (TimerTarget & { readonly dueAtMs: number })[]): Promise<readonly ChangeOutcome[]>;
  /** Moves the due time by `byMs`, which may be negative; a due time that is past fires at once. */
  shift(items: readonly (TimerTarget & { readonly byMs: number })[]): Promise<readonly ChangeOutcome[]>;
  cancel(targets: readonly TimerTarget[]): Promise<readonly ChangeOutcome[]>;
  /** Cancels all timers of own kinds of these owners; returns those it cancelled. */
  cancelByOwner(owners: readonly string[]): Promise<readonly Timer[]>;
  /** Schedules dead timers for now, with all their attempts before them. */
  revive(targets: readonly TimerTarget[]): Promise<readonly ChangeOutcome[]>;
}

/** Where writes go: a coalesced batch with its own commit, or a transaction. None of the lists is empty. */
export interface TimerWrites {
  schedule(timers: readonly NewTimer[]): Promise<readonly ScheduleOutcome[]>;
  change(changes: readonly TimerChange[]): Promise<readonly ChangeOutcome[]>;
  cancelByOwner(owners: readonly string[]): Promise<readonly Timer[]>;
}
