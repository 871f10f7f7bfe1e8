import { describe, expect, it } from 'vitest';
import { indexChangesOf } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { NewTimer, ScheduleOutcome, TimerChange } from '../../../server/timer/model/timer-changes.ts';
import { TimerKinds } from '../../../server/timer/model/timer-kinds.ts';
import type { TimerCommand } from '../../../server/timer/model/timer-store.ts';
import type { TimerRequest } from '../../../server/timer/model/timer-writes.ts';
import { appliedIn } from '../../../server/timer/write/timer-transaction.ts';
import { timerWriter } from '../../../server/timer/write/timer-writer.ts';
import { OptionsRefused } from '../../../shared/options/options-refused.ts';

const NOW_MS = 1_790_000_000_000;
const timer = (id: string, state: Timer['state'] = 'scheduled') =>
  ({ id, owner: 'ann', state, fireAtMs: 7, revision: 3 }) as Timer;
const order = (subject: string) => ({ kind: 'order', subject, owner: 'ann' });
const cron = { expression: '0 0 * * *', timeZone: 'UTC' };

/** A writer that keeps what it is given; a key can be used once. A `fault` is thrown by each change. */
const makeScene = (fault?: unknown) => {
  const given: {
    schedules: (readonly NewTimer[])[];
    changes: (readonly TimerChange[])[];
    commands: TimerCommand[];
    ofKinds: unknown[];
  } = {
    ofKinds: [],
    schedules: [],
    changes: [],
    commands: [],
  };
  let looks = 0;
  const kinds = new TimerKinds();
  kinds.register({ kind: 'order', fire: async () => undefined });
  kinds.register({ kind: 'home', derived: true } as never);
  const writer = timerWriter({
    kinds,
    registered: async () => new Map(),
    nowMs: async () => {
      looks += 1;
      return NOW_MS;
    },
    writes: {
      schedule: async (timers) => {
        given.schedules.push(timers);
        return timers.map(({ subject }): ScheduleOutcome => ({ outcome: 'applied', timer: timer(subject) }));
      },
      change: async (changes) => {
        if (fault !== undefined) throw fault;
        given.changes.push(changes);
        return changes.map(() => ({ outcome: 'not-found' }));
      },
      changeByOwner: async () => [timer('1')],
      changeByKind: async (change) => {
        given.ofKinds.push(change);
        return 1;
      },
    },
    once: async (command) => {
      given.commands.push(command);
      return undefined;
    },
  });
  return { writer, given, looks: () => looks };
};

describe('schedule', () => {
  it('leaves derived kinds to their own path, and answers in the order of the call', async () => {
    const { writer, given } = makeScene();
    const derived = { kind: 'home', subject: 'b', owner: 'ann', dueAtMs: NOW_MS };
    const own = ['a', 'c'].map((subject) => ({ ...order(subject), dueAtMs: NOW_MS }));
    const [a, c] = own as [NewTimer, NewTimer];
    expect(await writer.schedule([a, derived, c])).toEqual([
      { outcome: 'applied', timer: timer('a') },
      { outcome: 'derived' },
      { outcome: 'applied', timer: timer('c') },
    ]);
    expect(given.schedules).toEqual([own]);
    await writer.schedule([a, derived, c], { idempotencyKey: 'k' });
    expect(given.commands).toEqual([{ id: 'k', body: { timers: own } }]);
  });

  it.each<[string, readonly TimerRequest[], number, readonly (number | undefined)[]]>([
    ['an instant', [{ ...order('a'), dueAtMs: 5 }], 0, [5]],
    ['so long from now', [{ ...order('a'), inMs: 5 }], 0, [undefined]],
    ['an interval from an instant on', [{ ...order('a'), dueAtMs: 5, every: { ms: 1000 } }], 0, [5]],
    ['an interval from so long from now on', [{ ...order('a'), inMs: 5, every: { ms: 1000 } }], 1, [NOW_MS + 5]],
    ['a calendar', [{ ...order('a'), cron }], 1, [Date.parse('2026-09-22T00:00:00Z')]],
    ['a calendar from so long from now on', [{ ...order('a'), inMs: 5, cron }], 1, [NOW_MS + 5]],
    ['a calendar from an instant on', [{ ...order('a'), dueAtMs: 5, cron }], 0, [5]],
    [
      'one of several',
      [
        { ...order('a'), dueAtMs: 5 },
        { ...order('b'), inMs: 5, every: { ms: 1000 } },
      ],
      1,
      [5, NOW_MS + 5],
    ],
  ])('asks for the time only where a recurrence begins from it: %s', async (_name, asked, looked, dueAtMs) => {
    const { writer, given, looks } = makeScene();
    await writer.schedule(asked);
    expect(looks()).toBe(looked);
    expect(given.schedules[0]?.map((one) => one.dueAtMs)).toEqual(dueAtMs);
  });

  it('refuses an interval that begins nowhere', async () => {
    const { writer, looks } = makeScene();
    const asked = { ...order('a'), every: { ms: 1000 } } as unknown as TimerRequest;
    await expect(writer.schedule([asked])).rejects.toThrow(OptionsRefused);
    expect(looks()).toBe(0);
  });

  it('refuses a policy for misfires that cannot work', async () => {
    const { writer, given } = makeScene();
    const asked = { ...order('a'), dueAtMs: 5, misfire: { afterMs: -1 } };
    await expect(writer.schedule([asked])).rejects.toMatchObject({ code: 'timer/bad-misfire' });
    expect(given.schedules).toEqual([]);
  });
});

it('refuses a recurrence that never comes again by its place and the call', async () => {
  const { writer, given } = makeScene();
  const over = { ...order('b'), dueAtMs: 5, every: { ms: 1000, untilMs: 6 } };
  const refused = writer.schedule([{ ...order('a'), dueAtMs: 5 }, over]);
  await expect(refused).rejects.toMatchObject({
    code: 'timer/never-again',
    faults: [{ path: 'timers[1].every' }],
    message: expect.stringMatching(/^schedule refuses/),
  });
  expect(given.schedules).toEqual([]);
});

it('shifts and cancels all timers of a kind', async () => {
  const { writer, given } = makeScene();
  expect([await writer.shiftByKind(['order'], 7), await writer.cancelByKind(['order'])]).toEqual([1, 1]);
  expect(given.ofKinds).toEqual([
    { kinds: ['order'], byMs: 7, change: 'shift' },
    { kinds: ['order'], change: 'cancel' },
  ]);
});

describe('a due time that Postgres finds beyond the clock', () => {
  const postgres = (code: string, constraint?: string) => Object.assign(new Error('check'), { code, constraint });
  const shifting = (fault: unknown) => makeScene(fault).writer.shift([{ timerId: '7', byMs: 5 }]);

  it('is refused by the name of the argument, also where the error is the cause of another one', async () => {
    const due = postgres('23514', 'timer_due_at_check');
    for (const fault of [due, postgres('23514', 'x_fire_at_check'), new Error('query', { cause: due })]) {
      await expect(shifting(fault)).rejects.toBeInstanceOf(OptionsRefused);
      await expect(shifting(fault)).rejects.toMatchObject({ cause: fault });
    }
  });

  it.each([
    ['of another constraint', postgres('23514', 'timer_state_check')],
    ['of a longer name', postgres('23514', 'timer_due_at_check_2')],
    ['without a constraint', postgres('23514')],
    ['of another sort', postgres('23505', 'timer_due_at_check')],
  ])('is told from an error %s', async (_, fault) => {
    await expect(shifting(fault)).rejects.toBe(fault);
  });
});

it('takes names of 1 to 512 characters', async () => {
  const { writer } = makeScene();
  const named = (subject: string) => writer.schedule([{ ...order(subject), dueAtMs: 5 }]);
  await expect(named('x'.repeat(512))).resolves.toHaveLength(1);
  await expect(named('x'.repeat(513))).rejects.toThrow(OptionsRefused);
  await expect(named('')).rejects.toThrow(OptionsRefused);
});

it('takes whole milliseconds before the year 2109, and distances of two such instants', async () => {
  const { writer, given } = makeScene();
  const lastMs = Date.UTC(2109, 4, 15, 7, 35, 11, 102);
  const at = (dueAtMs: number) => writer.reschedule([{ timerId: '1', dueAtMs }]);
  const by = (byMs: number) => writer.shift([{ timerId: '1', byMs }]);
  await at(lastMs);
  await by(-lastMs);
  expect(given.changes.flat()).toHaveLength(2);
  for (const call of [() => at(lastMs + 1), () => by(-lastMs - 1), () => at(0.5)])
    await expect(call()).rejects.toThrow(OptionsRefused);
});

describe('a call with a key', () => {
  it('is known by all that it says', async () => {
    const { writer, given } = makeScene();
    await writer.shift([{ timerId: '1', byMs: 5 }], { idempotencyKey: 'k' });
    expect(given.commands).toEqual([
      { id: 'k', body: { changes: [{ target: { timerId: '1' }, change: 'shift', byMs: 5 }] } },
    ]);
  });

  it('does nothing where nothing is asked', async () => {
    const { writer, given } = makeScene();
    expect(await writer.schedule([], { idempotencyKey: 'k' })).toEqual([]);
    expect(await writer.cancel([], { idempotencyKey: 'k' })).toEqual([]);
    expect(await writer.cancelByOwner([], { idempotencyKey: 'k' })).toEqual([]);
    expect(given).toEqual({ ofKinds: [], schedules: [], changes: [], commands: [] });
  });

  it('says what to do when the key was used for another', async () => {
    const { writer } = makeScene();
    await expect(writer.cancelByOwner(['ann'], { idempotencyKey: 'k' })).rejects.toThrow('send a new one');
  });
});

it('tells the index of what is scheduled where it is, and of the rest that it is gone', () => {
  const entry = (timerId: string) => ({ timerId, owner: 'ann', fireAtMs: 7, revision: 3 });
  expect(indexChangesOf([timer('1'), timer('2', 'cancelled'), timer('3', 'dead'), timer('4')])).toEqual({
    put: [entry('1'), entry('4')],
    remove: [entry('2'), entry('3')],
  });
});

it('knows which rows a call wrote', () => {
  expect(
    appliedIn([
      timer('1'),
      { outcome: 'applied', timer: timer('2') },
      { outcome: 'moved', timer: timer('3') },
      { outcome: 'duplicate', timer: timer('4') },
      { outcome: 'not-found' },
      { outcome: 'reused' },
    ]),
  ).toEqual([timer('1'), timer('2'), timer('3')]);
});

describe('what was checked is what is used:', () => {
  it.each(['shift', 'setPayload', 'reschedule', 'fireNow', 'pause', 'resume', 'complete', 'cancel', 'revive'] as const)(
    '%s of a `timerId` that is undefined goes by kind and subject',
    async (call) => {
      const { writer, given } = makeScene();
      const item = { timerId: undefined, kind: 'order', subject: 'a' };
      const more = { shift: { byMs: 5 }, setPayload: { payload: 5 }, reschedule: { inMs: 5 } };
      await writer[call]([{ ...item, ...more[call as 'shift'] } as never]);
      expect(given.changes[0]?.[0]?.target).toEqual({ kind: 'order', subject: 'a' });
    },
  );

  it.each(['schedule', 'scheduleOrMove'] as const)('%s reads inherited and changing fields once', async (call) => {
    const { writer, given } = makeScene();
    let reads = 0;
    const shifty = {
      ...order('a'),
      dueAtMs: NOW_MS,
      get subject() {
        reads += 1;
        return `s${reads}`;
      },
    };
    await writer[call]([Object.create(shifty) as NewTimer]);
    expect(given.schedules[0]?.[0]).toMatchObject({ kind: 'order', subject: 's1', owner: 'ann', dueAtMs: NOW_MS });
  });

  it('a call has the values of its begin, whatever the caller changes meanwhile', async () => {
    const { writer, given } = makeScene();
    const payload = { gold: 5 };
    const every = { ms: 60_000, times: 5 };
    const request = { ...order('a'), inMs: 5, payload, every };
    const call = writer.schedule([request]);
    request.inMs = Number.NaN;
    every.times = Number.NaN;
    payload.gold = Number.NaN;
    await call;
    expect(given.schedules[0]?.[0]).toMatchObject({ payload: { gold: 5 }, every: { ms: 60_000, times: 5 } });
    expect(given.schedules[0]?.[0]?.dueAtMs).toBe(NOW_MS + 5);
  });

  it('a `schedule` of an object of a class that also has `orMove` moves nothing', async () => {
    class Request {
      readonly kind = 'order';
      readonly subject = 'a';
      readonly owner = 'ann';
      readonly inMs = 5;
      readonly orMove = true;
    }
    const { writer, given } = makeScene();
    await writer.schedule([new Request()]);
    expect(given.schedules[0]?.[0]).not.toHaveProperty('orMove');
  });
});
