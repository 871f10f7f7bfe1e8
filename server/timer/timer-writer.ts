import { LATEST_MS } from '../../shared/latest-ms.ts';
import { entryOf } from './due-index.ts';
import type { Timer } from './timer.ts';
import type { TimerKinds } from './timer-kinds.ts';
import type {
  ChangeOutcome,
  IndexChanges,
  NewTimer,
  ScheduleOutcome,
  TimerChange,
  TimerTarget,
} from './timer-store.ts';

/** `derived`: only the path of its state writes this kind. */
export type ScheduleAnswer = ScheduleOutcome | { readonly outcome: 'derived' };

/**
 * The writes of the public API: arrays in, outcomes out, in order. They throw `RangeError` for an instant that is not
 * a whole number of milliseconds before the year 2109, and for a name that is empty, too long, or holds NUL.
 */
export interface TimerWriter {
  /** `duplicate` when a timer with this `(kind, subject)` is scheduled already; it stays as it is. */
  schedule(timers: readonly NewTimer[]): Promise<readonly ScheduleAnswer[]>;
  reschedule(items: readonly (TimerTarget & { readonly dueAtMs: number })[]): Promise<readonly ChangeOutcome[]>;
  /** Moves the due time by `byMs`, which may be negative; a due time that is past fires at once. */
  shift(items: readonly (TimerTarget & { readonly byMs: number })[]): Promise<readonly ChangeOutcome[]>;
  cancel(targets: readonly TimerTarget[]): Promise<readonly ChangeOutcome[]>;
  /** Cancels all timers of own kinds of these owners; answers those it cancelled. */
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

const LONGEST_NAME = 512;

/** Checks what comes from outside, and keeps generic writes away from derived kinds. */
export const timerWriter = (writes: TimerWrites, kinds: TimerKinds): TimerWriter => {
  const change = async (changes: readonly TimerChange[]): Promise<readonly ChangeOutcome[]> =>
    changes.length === 0 ? [] : writes.change(changes);

  return {
    schedule: async (timers) => {
      for (const timer of timers) checkTimer(timer);
      const own = timers.filter(({ kind }) => !kinds.derived.includes(kind));
      const outcomes = (own.length === 0 ? [] : await writes.schedule(own)).values();
      const derived = { outcome: 'derived' } as const;
      return timers.map(({ kind }) => (kinds.derived.includes(kind) ? derived : (outcomes.next().value ?? derived)));
    },
    reschedule: async (items) => {
      for (const { dueAtMs } of items) checkMs(dueAtMs);
      return change(items.map((target) => ({ target, change: 'reschedule', dueAtMs: target.dueAtMs })));
    },
    shift: async (items) => {
      for (const { byMs } of items) checkMs(byMs);
      return change(items.map((target) => ({ target, change: 'shift', byMs: target.byMs })));
    },
    cancel: (targets) => change(targets.map((target) => ({ target, change: 'cancel' }))),
    cancelByOwner: async (owners) => (owners.length === 0 ? [] : writes.cancelByOwner(owners)),
    revive: (targets) => change(targets.map((target) => ({ target, change: 'revive' }))),
  };
};

/** What the index has to hear of rows that were written. Of several states of one row the newest wins there. */
export const indexChangesOf = (timers: readonly Timer[]): IndexChanges => ({
  put: timers.filter(({ state }) => state === 'scheduled').map(entryOf),
  remove: timers.filter(({ state }) => state !== 'scheduled').map(entryOf),
});

/** The rows that were written. */
export const appliedIn = (outcomes: readonly (ChangeOutcome | ScheduleOutcome)[]): readonly Timer[] =>
  outcomes.flatMap((outcome) => (outcome.outcome === 'applied' ? outcome.timer : []));

const checkTimer = ({ kind, subject, owner, dueAtMs }: NewTimer): void => {
  for (const name of [kind, subject, owner]) {
    if (name.length > 0 && name.length <= LONGEST_NAME && !name.includes('\0')) continue;
    throw new RangeError(`a kind, subject or owner has 1 to ${LONGEST_NAME} characters and no NUL`);
  }
  checkMs(dueAtMs);
};

/** Throws `RangeError` for what is no instant, or no distance of two. */
export const checkMs = (ms: number): void => {
  if (!Number.isInteger(ms) || Math.abs(ms) >= LATEST_MS) throw new RangeError(`not whole milliseconds: ${ms}`);
};
