import { causesOf, textAt } from '../../../shared/game-code.ts';
import { type OptionFault, OptionsRefused } from '../../../shared/options/options-refused.ts';
import { faultsAt, readOptions } from '../../../shared/options/read-options.ts';
import type { Schema } from '../../../shared/options/schema.ts';
import { beyondClock } from '../model/changed-timer.ts';
import type { DueTime, Timer } from '../model/timer.ts';
import type {
  ChangeOutcome,
  NewTimer,
  OwnersChange,
  Reused,
  ScheduleRequest,
  TimerChange,
  TimerFields,
  TimerTarget,
} from '../model/timer-changes.ts';
import { TimerRefused } from '../model/timer-errors.ts';
import type { TimerKinds } from '../model/timer-kinds.ts';
import type {
  KindChanges,
  OnceOnly,
  TimerRequest,
  TimerSchedules,
  TimerWritePath,
  TimerWriter,
  TimerWrites,
  Written,
} from '../model/timer-writes.ts';
import { neverAgain } from '../recurrence/check-recurrence.ts';
import { firstTimeOf } from '../recurrence/next-times.ts';
import { begun, givesRecurrence } from '../recurrence/recurrence.ts';
import { timerCalls } from './timer-calls.ts';

interface KindLookup {
  readonly kinds: TimerKinds;
  /** Reads all kinds that any process has ever registered. */
  readonly registered: () => Promise<ReadonlyMap<string, boolean>>;
}

interface Dependencies extends TimerWritePath, KindLookup {
  /** The store's time. */
  readonly nowMs: () => Promise<number>;
}

/** Checks calls from outside, does each once for its key, and refuses generic writes of derived kinds. */
export const timerWriter = (on: Dependencies): TimerWriter => {
  const run = keyed(on);
  return { ...schedules(run, on), ...changes(run), ...changesByOwner(run), ...changesByKind(on.writes) };
};

type Run = ReturnType<typeof keyed>;

/** Runs a call, once if it has a key. Undefined: the key belongs to another call. */
const keyed =
  ({ writes, once }: TimerWritePath) =>
  <T extends readonly Written[]>(
    body: object,
    { idempotencyKey }: OnceOnly,
    work: (writes: TimerWrites) => Promise<T>,
  ): Promise<T | undefined> => {
    const written = idempotencyKey === undefined ? work(writes) : once({ id: idempotencyKey, body }, work);
    return written.catch(refuseBeyondClock);
  };

const schedules = (run: Run, { kinds, registered, nowMs }: Dependencies): TimerSchedules => {
  const schedule =
    (call: keyof TimerSchedules): TimerWriter['schedule'] =>
    async (given, onceOnly = {}) => {
      const { timers, options } = read(call, { timers: given, options: onceOnly });
      const asked = call === 'schedule' ? timers : timers.map((timer) => ({ ...timer, orMove: true }));
      const { timers: wanted, faults } = await dated(asked, nowMs);
      await checkKinds(wanted, { kinds, registered });
      const isOwn = ({ kind }: TimerRequest): boolean => !kinds.isDerived(kind);
      const own = wanted.filter(isOwn);
      const work = async (writes: TimerWrites) => {
        if (faults.length > 0) throw new OptionsRefused('schedule', faults);
        return writes.schedule(own);
      };
      // The key stands for the request, not for computed times, which differ when the call is repeated.
      const body = { timers: asked.filter(isOwn).map(requestOf) };
      const written = own.length === 0 ? [] : await run(body, options, work);
      const outcomes = (written ?? own.map(reused)).values();
      const derived = { outcome: 'derived' } as const;
      return wanted.map(({ kind }) => (kinds.isDerived(kind) ? derived : (outcomes.next().value ?? derived)));
    };
  return { schedule: schedule('schedule'), scheduleOrMove: schedule('scheduleOrMove') };
};

type ByTimer = Omit<TimerWriter, keyof TimerSchedules | keyof KindChanges | 'shiftByOwner' | 'cancelByOwner'>;
type ItemOf<Call extends keyof ByTimer> = Parameters<TimerWriter[Call]>[0][number];
type Without<Change> = Change extends unknown ? Omit<Change, 'target'> : never;

const changes = (run: Run): ByTimer => {
  const change =
    <Call extends keyof ByTimer>(
      call: Call,
      list: 'items' | 'targets',
      changeOf: (item: ItemOf<Call>) => Without<TimerChange>,
    ) =>
    async (given: readonly ItemOf<Call>[], onceOnly: OnceOnly = {}): Promise<readonly ChangeOutcome[]> => {
      const { options, ...lists } = read(call, { [list]: given, options: onceOnly });
      const items = lists[list] as readonly ItemOf<Call>[];
      if (items.length === 0) return [];
      const all = items.map((item) => ({ target: targetOf(item), ...changeOf(item) }) as TimerChange);
      return (await run({ changes: all }, options, (writes) => writes.change(all))) ?? all.map(reused);
    };
  return {
    reschedule: change('reschedule', 'items', (item) => ({ change: 'reschedule', ...dueOf(item) })),
    shift: change('shift', 'items', ({ byMs }) => ({ change: 'shift', byMs })),
    setPayload: change('setPayload', 'items', ({ payload }) => ({ change: 'set-payload', payload })),
    complete: change('complete', 'targets', ({ result }) => ({ change: 'complete', result })),
    fireNow: change('fireNow', 'targets', () => ({ change: 'fire-now' })),
    pause: change('pause', 'targets', () => ({ change: 'pause' })),
    resume: change('resume', 'targets', () => ({ change: 'resume' })),
    cancel: change('cancel', 'targets', () => ({ change: 'cancel' })),
    revive: change('revive', 'targets', () => ({ change: 'revive' })),
  };
};

const changesByOwner = (run: Run): Pick<TimerWriter, 'shiftByOwner' | 'cancelByOwner'> => {
  const changed = async (change: OwnersChange, options: OnceOnly): Promise<readonly Timer[]> => {
    if (change.owners.length === 0) return [];
    const timers = await run(change, options, (writes) => writes.changeByOwner(change));
    if (timers !== undefined) return timers;
    throw new TimerRefused('key/reused', 'this idempotencyKey was used for another call: send a new one');
  };
  return {
    shiftByOwner: async (givenOwners, givenMs, given = {}) => {
      const { owners, byMs, options } = read('shiftByOwner', { owners: givenOwners, byMs: givenMs, options: given });
      const { kinds, ...onceOnly } = options;
      return changed({ owners, kinds, change: 'shift', byMs }, onceOnly);
    },
    cancelByOwner: async (given, onceOnly = {}) => {
      const { owners, options } = read('cancelByOwner', { owners: given, options: onceOnly });
      return changed({ owners, change: 'cancel' }, options);
    },
  };
};

const changesByKind = ({ changeByKind }: TimerWrites): KindChanges => ({
  shiftByKind: async (kinds, byMs) =>
    changeByKind({ ...read('shiftByKind', { kinds, byMs }), change: 'shift' }).catch(refuseBeyondClock),
  cancelByKind: async (kinds) => changeByKind({ ...read('cancelByKind', { kinds }), change: 'cancel' }),
});

const read = <Given extends object>(call: keyof typeof timerCalls, given: Given): Given =>
  readOptions(timerCalls[call] as Schema<object>, given, call) as Given;

/** Drops the other fields of a row: they differ when the call is repeated. */
const requestOf = (asked: TimerRequest & Pick<ScheduleRequest, 'orMove'>) => {
  const { kind, subject, owner, payload, misfire, every, cron, dueAtMs, inMs, orMove } = asked;
  return { kind, subject, owner, payload, misfire, every, cron, dueAtMs, inMs, orMove };
};

/** Drops other fields of the caller's object: the key's hash covers only the target. */
const targetOf = (target: TimerTarget): TimerTarget =>
  'timerId' in target ? { timerId: target.timerId } : { kind: target.kind, subject: target.subject };

const dueOf = ({ dueAtMs, inMs }: DueTime): DueTime => (dueAtMs === undefined ? { inMs } : { dueAtMs });

const reused = (): Reused => ({ outcome: 'reused' });

/** The error of Postgres' constraint on due times. */
const refuseBeyondClock = (error: unknown): never => {
  const isBeyond = causesOf(error).some(
    (one) => textAt(one, 'code') === '23514' && /_(due|fire)_at_check$/.test(textAt(one, 'constraint') ?? ''),
  );
  throw isBeyond ? beyondClock(error) : error;
};

/**
 * Throws `TimerRefused` for a timer that no process could ever fire. A kind that is unknown here is looked up first,
 * because another process may have registered it just now.
 */
const checkKinds = async (timers: readonly NewTimer[], { kinds, registered }: KindLookup): Promise<void> => {
  const unknown = (): string | undefined => timers.find(({ kind }) => !kinds.isKnown(kind))?.kind;
  if (unknown() === undefined) return;
  kinds.setRegistered(await registered());
  const kind = unknown();
  if (kind === undefined) return;
  const remedy = 'register it in a process that fires, and boot that first; or mend the name';
  throw new TimerRefused('kind/unknown', `no process ever registered the kind of timers ${kind}: ${remedy}`);
};

/** Reads the time only if a recurrence begins now, or a distance may lead beyond the clock's end. */
const dated = async <Asked extends TimerRequest>(
  asked: readonly Asked[],
  nowMs: () => Promise<number>,
): Promise<Begun<Asked>> => {
  const atMs = asked.some(needsTime) ? await nowMs() : 0;
  const timers = asked.map((one): Dated => withBegin(needsTime(one) ? datedAt(one, atMs) : one));
  const faults = timers.flatMap((timer, at) =>
    givesRecurrence(timer) ? faultsAt(`timers[${at}]`, neverAgain(timer, timer.dueAtMs, atMs)) : [],
  );
  return { timers: timers as readonly Dated[] as readonly (Asked & NewTimer)[], faults };
};

interface Begun<Asked extends TimerRequest> {
  readonly timers: readonly (Asked & NewTimer)[];
  /** Not thrown yet: a call that its key has done already returns its outcomes on any day. */
  readonly faults: readonly OptionFault[];
}

/** A calendar may have no first time. */
type Dated = TimerFields & { readonly dueAtMs?: number | undefined; readonly inMs?: number | undefined };

const needsTime = (one: TimerRequest): boolean => one.dueAtMs === undefined && givesRecurrence(one);

const datedAt = ({ inMs, ...one }: TimerRequest, atMs: number): Dated => ({
  ...one,
  dueAtMs: inMs === undefined ? firstTimeOf(one, atMs) : atMs + inMs,
});

const withBegin = (one: Dated): Dated => (one.dueAtMs === undefined ? one : begun(one, one.dueAtMs));
