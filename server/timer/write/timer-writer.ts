import { entryOf } from '../model/index-entry.ts';
import { type DueTime, PAUSED_UNTIL_MS, type Timer } from '../model/timer.ts';
import type { IndexChanges, NewTimer, ScheduleRequest, TimerTarget } from '../model/timer-store.ts';
import type { OnceOnly, ScheduleAnswer, TimerWriter } from '../model/timer-writes.ts';
import { checkKinds, type KindLook } from './check-kinds.ts';
import { checkName } from './check-name.ts';
import { type Calls, keyedWrites, type Written } from './keyed-writes.ts';

interface Parts extends Calls, KindLook {}

/** Checks what comes from outside, and keeps generic writes away from derived kinds. */
export const timerWriter = ({ writes, once, kinds, registered }: Parts): TimerWriter => {
  const keyed = keyedWrites({ writes, once });

  const schedule = async (
    timers: readonly ScheduleRequest[],
    options?: OnceOnly,
  ): Promise<readonly ScheduleAnswer[]> => {
    for (const timer of timers) checkTimer(timer);
    await checkKinds(timers, { kinds, registered });
    const own = timers.filter(({ kind }) => !kinds.derived.includes(kind));
    const outcomes = (await keyed.schedule(own, options)).values();
    const derived = { outcome: 'derived' } as const;
    return timers.map(({ kind }) => (kinds.derived.includes(kind) ? derived : (outcomes.next().value ?? derived)));
  };

  const simply =
    (change: SimpleChange): TimerWriter['cancel'] =>
    (targets, options) =>
      keyed.change(
        targets.map((target) => ({ target: targetOf(target), change })),
        options,
      );

  return {
    schedule,
    scheduleOrMove: (timers, options) =>
      schedule(
        timers.map((timer) => ({ ...timer, orMove: true })),
        options,
      ),
    reschedule: async (items, options) => {
      for (const item of items) checkDue(item);
      const changes = items.map((item) => ({ ...dueOf(item), target: targetOf(item), change: 'reschedule' }) as const);
      return keyed.change(changes, options);
    },
    shift: async (items, options) => {
      for (const { byMs } of items) checkMs(byMs);
      const changes = items.map((item) => ({ target: targetOf(item), change: 'shift', byMs: item.byMs }) as const);
      return keyed.change(changes, options);
    },
    shiftByOwner: async (owners, byMs, { kinds, ...options } = {}) => {
      checkMs(byMs);
      return keyed.changeByOwner({ owners, kinds, change: 'shift', byMs }, options);
    },
    fireNow: simply('fire-now'),
    pause: simply('pause'),
    resume: simply('resume'),
    complete: async (items, options) => {
      const changes = items.map(
        (item) => ({ target: targetOf(item), change: 'complete', result: item.result }) as const,
      );
      return keyed.change(changes, options);
    },
    cancel: simply('cancel'),
    cancelByOwner: async (owners, options) => keyed.changeByOwner({ owners, change: 'cancel' }, options),
    revive: simply('revive'),
  };
};

type SimpleChange = 'fire-now' | 'pause' | 'resume' | 'cancel' | 'revive';

/** What the index has to hear of rows that were written. Of several states of one row the newest wins there. */
export const indexChangesOf = (timers: readonly Timer[]): IndexChanges => ({
  put: timers.filter(({ state }) => state === 'scheduled').map(entryOf),
  remove: timers.filter(({ state }) => state !== 'scheduled').map(entryOf),
});

/** The rows that were written. */
export const appliedIn = (written: readonly Written[]): readonly Timer[] =>
  written.flatMap((one) => {
    if (!('outcome' in one)) return one;
    return one.outcome === 'applied' || one.outcome === 'moved' ? one.timer : [];
  });

const checkTimer = ({ kind, subject, owner, ...due }: NewTimer): void => {
  for (const name of [kind, subject, owner]) checkName(name);
  checkDue(due);
};

/** Without what else the caller's object holds: the hash is of what is wanted. */
const targetOf = (target: TimerTarget): TimerTarget =>
  'timerId' in target ? { timerId: target.timerId } : { kind: target.kind, subject: target.subject };

const dueOf = ({ dueAtMs, inMs }: DueTime): DueTime => (dueAtMs === undefined ? { inMs } : { dueAtMs });

const checkDue = ({ dueAtMs, inMs }: DueTime): void => {
  if (dueAtMs !== undefined && inMs !== undefined) throw new RangeError('a due time is either `dueAtMs` or `inMs`');
  checkMs(dueAtMs ?? inMs);
};

/** Throws `RangeError` for what is no instant, or no distance of two. */
export const checkMs = (ms: number): void => {
  if (!Number.isInteger(ms) || Math.abs(ms) >= PAUSED_UNTIL_MS) throw new RangeError(`not whole milliseconds: ${ms}`);
};
