import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { entryOf } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import type { TimerKinds } from '../model/timer-kinds.ts';
import type {
  ChangeOutcome,
  IndexChanges,
  NewTimer,
  SavedTimer,
  ScheduleOutcome,
  TimerChange,
} from '../model/timer-store.ts';
import type { TimerRequest, TimerWriter, TimerWrites } from '../model/timer-writes.ts';
import { checkComesAgain, checkMisfire, checkRecurrence, firstMs } from '../recurrence/check-recurrence.ts';

const LONGEST_NAME = 512;

/** Checks what comes from outside, and keeps generic writes away from derived kinds. */
export const timerWriter = (writes: TimerWrites, kinds: TimerKinds, nowMs: () => Promise<number>): TimerWriter => {
  const change = async (changes: readonly TimerChange[]): Promise<readonly ChangeOutcome[]> =>
    changes.length === 0 ? [] : writes.change(changes);

  return {
    schedule: async (wanted) => {
      const timers = await dated(wanted, nowMs);
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
export const indexChangesOf = (timers: readonly SavedTimer[]): IndexChanges => ({
  put: timers.filter(({ state }) => state === 'scheduled').map(entryOf),
  remove: timers.filter(({ state }) => state !== 'scheduled').map(entryOf),
});

/** The rows that were written. */
export const appliedIn = (outcomes: readonly (ChangeOutcome | ScheduleOutcome)[]): readonly Timer[] =>
  outcomes.flatMap((outcome) => (outcome.outcome === 'applied' ? outcome.timer : []));

/** Asks for the time only where somebody leaves the first due time to the calendar. */
const dated = async (wanted: readonly TimerRequest[], nowMs: () => Promise<number>): Promise<readonly NewTimer[]> => {
  for (const one of wanted) checkRecurrence(one);
  if (wanted.every((one): one is NewTimer => one.dueAtMs !== undefined || !one.cron)) return wanted;
  const atMs = await nowMs();
  return wanted.map((one) => (one.dueAtMs === undefined ? { ...one, dueAtMs: firstMs(one.cron, atMs) } : one));
};

const checkTimer = (timer: NewTimer): void => {
  const { kind, subject, owner, dueAtMs, misfire } = timer;
  for (const name of [kind, subject, owner]) {
    if (name.length > 0 && name.length <= LONGEST_NAME && !name.includes('\0')) continue;
    throw new RangeError(`a kind, subject or owner has 1 to ${LONGEST_NAME} characters and no NUL`);
  }
  checkMs(dueAtMs);
  checkComesAgain(timer, dueAtMs);
  if (misfire) checkMisfire(misfire);
};

/** Throws `RangeError` for what is no instant, or no distance of two. */
export const checkMs = (ms: number): void => {
  if (!Number.isInteger(ms) || Math.abs(ms) >= LATEST_MS) throw new RangeError(`not whole milliseconds: ${ms}`);
};
