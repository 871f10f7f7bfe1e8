import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { faultsAt, readOptions } from '../../../shared/options/read-options.ts';
import type { IndexChanges } from '../model/index-entry.ts';
import { entryOf } from '../model/index-entry.ts';
import type { DueTime, Timer } from '../model/timer.ts';
import type { NewTimer, TimerFields, TimerTarget } from '../model/timer-changes.ts';
import type { SavedTimer } from '../model/timer-store.ts';
import type { KindChanges, TimerRequest, TimerWriter, TimerWrites } from '../model/timer-writes.ts';
import { neverAgain } from '../recurrence/check-recurrence.ts';
import { firstTimeOf } from '../recurrence/next-times.ts';
import { checkKinds, type KindLook } from './check-kinds.ts';
import { type Calls, keyedWrites, type Written } from './keyed-writes.ts';
import { timerCalls } from './timer-calls.ts';

interface Parts extends Calls, KindLook {
  /** The store's time. */
  readonly nowMs: () => Promise<number>;
}

/** Reads what comes from outside, and keeps generic writes away from derived kinds. */
export const timerWriter = ({ writes, once, kinds, registered, nowMs }: Parts): TimerWriter => {
  const keyed = keyedWrites({ writes, once });

  const schedule =
    (call: 'schedule' | 'scheduleOrMove'): TimerWriter['schedule'] =>
    async (timers, options) => {
      read(call, { timers, options });
      const asked = call === 'schedule' ? timers : timers.map((timer) => ({ ...timer, orMove: true }));
      const wanted = await dated(asked, nowMs);
      await checkKinds(wanted, { kinds, registered });
      const isOwn = ({ kind }: TimerRequest): boolean => !kinds.derived.includes(kind);
      const outcomes = (await keyed.schedule(wanted.filter(isOwn), asked.filter(isOwn), options)).values();
      const derived = { outcome: 'derived' } as const;
      return wanted.map(({ kind }) => (kinds.derived.includes(kind) ? derived : (outcomes.next().value ?? derived)));
    };

  const simply =
    (call: SimpleCall, change: SimpleChange): TimerWriter['cancel'] =>
    async (targets, options) => {
      read(call, { targets, options });
      const changes = targets.map((target) => ({ target: targetOf(target), change }));
      return keyed.change(changes, options);
    };

  return {
    schedule: schedule('schedule'),
    scheduleOrMove: schedule('scheduleOrMove'),
    reschedule: async (items, options) => {
      read('reschedule', { items, options });
      const changes = items.map((item) => ({ ...dueOf(item), target: targetOf(item), change: 'reschedule' }) as const);
      return keyed.change(changes, options);
    },
    shift: async (items, options) => {
      read('shift', { items, options });
      const changes = items.map((item) => ({ target: targetOf(item), change: 'shift', byMs: item.byMs }) as const);
      return keyed.change(changes, options);
    },
    shiftByOwner: async (owners, byMs, options = {}) => {
      read('shiftByOwner', { owners, byMs, options });
      const { kinds, ...once } = options;
      return keyed.changeByOwner({ owners, kinds, change: 'shift', byMs }, once);
    },
    ...kindChanges(writes),
    setPayload: setPayload(keyed),
    fireNow: simply('fireNow', 'fire-now'),
    pause: simply('pause', 'pause'),
    resume: simply('resume', 'resume'),
    complete: async (targets, options) => {
      read('complete', { targets, options });
      const changes = targets.map(
        (one) => ({ target: targetOf(one), change: 'complete', result: one.result }) as const,
      );
      return keyed.change(changes, options);
    },
    cancel: simply('cancel', 'cancel'),
    cancelByOwner: async (owners, options) => {
      read('cancelByOwner', { owners, options });
      return keyed.changeByOwner({ owners, change: 'cancel' }, options);
    },
    revive: simply('revive', 'revive'),
  };
};

const read = (call: keyof typeof timerCalls, given: object): void => void readOptions(timerCalls[call], given, call);

const setPayload =
  ({ change }: Pick<ReturnType<typeof keyedWrites>, 'change'>): TimerWriter['setPayload'] =>
  async (items, options) => {
    read('setPayload', { items, options });
    const changes = items.map(
      ({ payload, ...target }) => ({ target: targetOf(target), change: 'set-payload', payload }) as const,
    );
    return change(changes, options);
  };

const kindChanges = ({ changeByKind }: TimerWrites): KindChanges => ({
  shiftByKind: async (kinds, byMs) => {
    read('shiftByKind', { kinds, byMs });
    return changeByKind({ kinds, change: 'shift', byMs });
  },
  cancelByKind: async (kinds) => {
    read('cancelByKind', { kinds });
    return changeByKind({ kinds, change: 'cancel' });
  },
});

type SimpleCall = 'fireNow' | 'pause' | 'resume' | 'cancel' | 'revive';
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

/** Asks for the time only where a recurrence is begun from it, or a distance may lead beyond the clock's end. */
const dated = async <Asked extends TimerRequest>(
  asked: readonly Asked[],
  nowMs: () => Promise<number>,
): Promise<readonly (Asked & NewTimer)[]> => {
  const atMs = asked.some(needsTime) ? await nowMs() : 0;
  const timers = asked.map((one): Dated => begun(needsTime(one) ? datedAt(one, atMs) : one));
  const faults = timers.flatMap((timer, at) =>
    comesAgain(timer) ? faultsAt(`timers[${at}]`, neverAgain(timer, timer.dueAtMs, atMs)) : [],
  );
  if (faults.length > 0) throw new OptionsRefused('schedule', faults);
  return timers as readonly Dated[] as readonly (Asked & NewTimer)[];
};

/** A calendar may have no first time. */
type Dated = TimerFields & { readonly dueAtMs?: number | undefined; readonly inMs?: number | undefined };

const comesAgain = ({ every, cron }: TimerFields): boolean => every !== undefined || cron !== undefined;

const needsTime = (one: TimerRequest): boolean =>
  one.dueAtMs === undefined && (one.cron !== undefined || one.every !== undefined);

const datedAt = ({ inMs, ...one }: TimerRequest, atMs: number): Dated => ({
  ...one,
  dueAtMs: inMs === undefined ? firstTimeOf(one, atMs) : atMs + inMs,
});

/** Its first due time says which time on the wall an interval of days keeps. */
const begun = (one: Dated): Dated =>
  one.every?.days !== undefined && one.every.fromMs === undefined
    ? { ...one, every: { ...one.every, fromMs: one.dueAtMs } }
    : one;

/** Without what else the caller's object holds: the hash is of what is wanted. */
const targetOf = (target: TimerTarget): TimerTarget =>
  'timerId' in target ? { timerId: target.timerId } : { kind: target.kind, subject: target.subject };

const dueOf = ({ dueAtMs, inMs }: DueTime): DueTime => (dueAtMs === undefined ? { inMs } : { dueAtMs });
