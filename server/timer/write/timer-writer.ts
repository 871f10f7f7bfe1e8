import { entryOf } from '../model/index-entry.ts';
import { type DueTime, PAUSED_UNTIL_MS, type Timer } from '../model/timer.ts';
import type { NewTimer, TimerTarget } from '../model/timer-changes.ts';
import type { IndexChanges, SavedTimer } from '../model/timer-store.ts';
import type { OnceOnly, ScheduleAnswer, TimerRequest, TimerWriter } from '../model/timer-writes.ts';
import { checkComesAgain, checkMisfire, checkRecurrence, firstMs } from '../recurrence/check-recurrence.ts';
import { checkKinds, type KindLook } from './check-kinds.ts';
import { checkName } from './check-name.ts';
import { type Calls, keyedWrites, type Written } from './keyed-writes.ts';

interface Parts extends Calls, KindLook {
  /** The store's time. */
  readonly nowMs: () => Promise<number>;
}

/** Checks what comes from outside, and keeps generic writes away from derived kinds. */
export const timerWriter = ({ writes, once, kinds, registered, nowMs }: Parts): TimerWriter => {
  const keyed = keyedWrites({ writes, once });

  const schedule = async (
    asked: readonly (TimerRequest & { readonly orMove?: boolean })[],
    options?: OnceOnly,
  ): Promise<readonly ScheduleAnswer[]> => {
    const timers = await dated(asked, nowMs);
    for (const timer of timers) checkTimer(timer);
    await checkKinds(timers, { kinds, registered });
    const isOwn = ({ kind }: TimerRequest): boolean => !kinds.derived.includes(kind);
    const outcomes = (await keyed.schedule(timers.filter(isOwn), asked.filter(isOwn), options)).values();
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
    shiftByKind: async (kinds, byMs) => {
      checkMs(byMs);
      return writes.changeByKind({ kinds, change: 'shift', byMs });
    },
    cancelByKind: (kinds) => writes.changeByKind({ kinds, change: 'cancel' }),
    setPayload: async (items, options) => {
      const changes = items.map(
        (item) => ({ target: targetOf(item), change: 'set-payload', payload: item.payload ?? null }) as const,
      );
      return keyed.change(changes, options);
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
export const indexChangesOf = (timers: readonly SavedTimer[]): IndexChanges => ({
  put: timers.filter(({ state }) => state === 'scheduled').map(entryOf),
  remove: timers.filter(({ state }) => state !== 'scheduled').map(entryOf),
});

/** The rows that were written. */
export const appliedIn = (written: readonly Written[]): readonly Timer[] =>
  written.flatMap((one) => {
    if (!('outcome' in one)) return one;
    return one.outcome === 'applied' || one.outcome === 'moved' ? one.timer : [];
  });

/** Asks for the time only where a recurrence is checked or begun from it. */
const dated = async <Asked extends TimerRequest>(
  asked: readonly Asked[],
  nowMs: () => Promise<number>,
): Promise<readonly (Asked & NewTimer)[]> => {
  for (const one of asked) checkRecurrence(one);
  if (!asked.some(needsTime)) return asked as readonly (Asked & NewTimer)[];
  const atMs = await nowMs();
  return asked.map((one) => (needsTime(one) ? datedAt(one, atMs) : one) as Asked & NewTimer);
};

const needsTime = ({ dueAtMs, inMs, every, cron }: TimerRequest): boolean =>
  dueAtMs === undefined && (cron !== undefined || (every !== undefined && inMs !== undefined));

const datedAt = ({ inMs, ...one }: TimerRequest, atMs: number) => {
  const dueAtMs = inMs === undefined && one.cron ? firstMs(one.cron, atMs) : atMs + (inMs ?? 0);
  return { ...one, dueAtMs };
};

const checkTimer = (timer: NewTimer): void => {
  for (const name of [timer.kind, timer.subject, timer.owner]) checkName(name);
  checkDue(timer);
  if (timer.dueAtMs !== undefined) checkComesAgain(timer, timer.dueAtMs);
  if (timer.misfire) checkMisfire(timer.misfire);
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
