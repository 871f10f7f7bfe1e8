import { describe, expect, it } from 'vitest';
import { Again, afterCall, again } from '../../../server/timer/fire/again.ts';
import { settleOwners } from '../../../server/timer/fire/derived-runner.ts';
import { attemptLog, failHomes, failOwn } from '../../../server/timer/fire/failure.ts';
import type { FiringTools } from '../../../server/timer/fire/firing-tools.ts';
import { storableResult } from '../../../server/timer/fire/handler-io.ts';
import { Intake } from '../../../server/timer/fire/intake.ts';
import { judgeLate } from '../../../server/timer/fire/late-timers.ts';
import { deferAfterFault, deferRows, requeueAfterFault, requeueLocked } from '../../../server/timer/fire/requeue.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { HandlerStuck } from '../../../server/timer/model/timer-errors.ts';
import { TimerKinds } from '../../../server/timer/model/timer-kinds.ts';
import type { HomeHold, TimerDeferral, TimerStore, TimerUpdate } from '../../../server/timer/model/timer-store.ts';
import { GameFault } from '../../../shared/game-code.ts';
import { makeTools, NOW_MS, timerOf, torn } from '../../support/engine/firing-tools.ts';

describe('a failed attempt', () => {
  it('is retried by its entry, and one that was the last leaves none', async () => {
    const saved: TimerUpdate[] = [];
    const { tools, events } = makeTools({
      save: async (updates) => {
        saved.push(...updates);
        return updates.map(({ timerId, state, fireAtMs, revision }) =>
          timerOf(timerId, { state, fireAtMs: fireAtMs ?? 0, revision: revision + 1 }),
        ) as never;
      },
    });
    const fireAtMs = NOW_MS + 7000;
    expect(await failOwn(tools, timerOf('7'), torn, [7000])).toEqual([
      { timerId: '7', owner: 'o7', fireAtMs, revision: 2 },
    ]);
    expect(await failOwn(tools, timerOf('9', { attempt: 1 }), torn, [7000])).toEqual([]);
    expect(saved).toMatchObject([
      { timerId: '7', state: 'scheduled', attempt: 1, lastError: expect.stringContaining('torn') },
      { timerId: '9', state: 'dead', attempt: 2 },
    ]);
    expect(events.map(({ type }) => type)).toEqual(['failed', 'dead']);
  });

  it.each([
    ['of a stuck handler is saved again while its lost connection holds the row: eight times', true, 9],
    ['of another handler is not saved again', false, 1],
  ])('%s', async (_, isStuck, tries) => {
    const { tools, clock, events } = makeTools({
      isContention: () => true,
      save: async () => {
        count += 1;
        throw torn;
      },
    });
    let count = 0;
    const failing = failOwn(tools, timerOf('7'), isStuck ? new HandlerStuck('too long') : torn, [7000]);
    for (let at = 0; at < 20; at += 1) {
      await new Promise(setImmediate);
      clock.advance(500);
    }
    await failing;
    expect(count).toBe(tries);
    expect(events.at(-1)).toEqual({ type: 'requeued', reason: 'world-fault', count: 1 });
  });

  it('of a stuck handler is saved once where the database is away', async () => {
    let count = 0;
    const save = async () => {
      count += 1;
      throw torn;
    };
    const { tools } = makeTools({ save });
    expect(await failOwn(tools, timerOf('7'), new HandlerStuck('too long'))).toHaveLength(1);
    expect(count).toBe(1);
  });

  it('is logged once a second for each kind and sort, with how many lines were left out', () => {
    const { log, lines, clock } = makeTools();
    const observe = attemptLog(log, clock);
    const timer = timerOf('7', { attempt: 2 });
    observe({ type: 'failed', timer, error: torn });
    observe({ type: 'failed', timer, error: torn });
    observe({ type: 'dead', timer, error: new GameFault('mail', torn) });
    observe({ type: 'stuck', timer: { ...timer, kind: 'meal' }, error: torn });
    observe({ type: 'swept', count: 3 });
    observe({ type: 'failed', timer: { ...timer, kind: 'meal' }, error: torn });
    clock.advance(1000);
    observe({ type: 'failed', timer, error: torn });
    const about = { timerId: '7', attempt: 3 };
    const again = { level: 'warn', message: 'a timer failed, and is tried again', ...about };
    const ofKind = (kind: string) => expect.objectContaining({ whose: `timer of kind "${kind}"`, thrown: torn });
    expect(lines).toEqual([
      { ...again, kind: 'order', leftOut: 0, err: ofKind('order') },
      {
        ...{ level: 'error', message: 'a timer is dead', kind: 'order', leftOut: 0, ...about },
        err: expect.objectContaining({ whose: 'mail' }),
      },
      { ...again, kind: 'meal', leftOut: 0, err: ofKind('meal') },
      { ...again, kind: 'meal', leftOut: 0, err: ofKind('meal') },
      { ...again, kind: 'order', leftOut: 1, err: ofKind('order') },
    ]);
  });
});

describe('homes that cannot be settled', () => {
  it('are held as long as the most tried of their timers says; each timer comes again then', async () => {
    const held: HomeHold[] = [];
    const { tools, events } = makeTools({ hold: async (holds) => void held.push(...holds) });
    const [first, second] = [timerOf('2', { owner: 'ann' }), timerOf('4', { owner: 'ann', attempt: 2 })];
    const entries = await failHomes(tools, [
      { timers: [first, second], error: torn },
      { timers: [timerOf('6', { attempt: 99 })], error: torn },
    ]);
    expect(held).toMatchObject([
      { owner: 'ann', untilMs: NOW_MS + 5000, attempt: 3, lastError: expect.stringContaining('torn') },
      { owner: 'o6', untilMs: NOW_MS + 60_000, attempt: 100 },
    ]);
    expect(entries.map(({ timerId, fireAtMs }) => [timerId, fireAtMs - NOW_MS])).toEqual([
      ['2', 5000],
      ['4', 5000],
      ['6', 60_000],
    ]);
    expect(events.map(({ type }) => type)).toEqual(['stuck', 'stuck', 'stuck']);
    expect(await failHomes(tools, [])).toEqual([]);
    expect(held).toHaveLength(2);
  });

  it('come again soon where they cannot be held', async () => {
    const { tools, events } = makeTools({ hold: async () => Promise.reject(torn) });
    const entries = await failHomes(tools, [{ timers: [timerOf('2'), timerOf('4')], error: torn }]);
    expect(entries.map(({ fireAtMs }) => fireAtMs - NOW_MS)).toEqual([500, 500]);
    expect(events.at(-1)).toEqual({ type: 'requeued', reason: 'world-fault', count: 2 });
  });
});

describe('timers that meet a fault of the world', () => {
  it('are logged once a second for each kind, with how many lines were left out', () => {
    const { tools, lines, clock } = makeTools();
    const two = [timerOf('7'), timerOf('9')];
    requeueAfterFault(tools, two, torn);
    requeueAfterFault(tools, [timerOf('9')], torn);
    clock.advance(1000);
    requeueAfterFault(tools, [timerOf('9')], torn);
    requeueAfterFault(tools, [], torn);
    const line = { level: 'warn', message: 'firing failed; again soon', err: torn };
    expect(lines).toEqual([
      { ...line, kind: 'order', timerId: '7', count: 2, leftOut: 0 },
      { ...line, kind: 'order', timerId: '9', count: 1, leftOut: 1 },
      { ...line, kind: undefined, timerId: undefined, count: 0, leftOut: 0 },
    ]);
  });

  it('alone are deferred in their row, and counted; one that is locked comes again by its entry', async () => {
    const deferred: TimerDeferral[] = [];
    const { tools, events } = makeTools({
      defer: async (deferrals) => {
        deferred.push(...deferrals);
        const timers = deferrals
          .filter(({ timerId }) => timerId === '7')
          .map(({ timerId, byMs }) => timerOf(timerId, { fireAtMs: NOW_MS + byMs, revision: 2 }));
        return { timers, nowMs: NOW_MS };
      },
    });
    expect(await deferAfterFault(tools, timerOf('7'), torn)).toEqual([
      { timerId: '7', owner: 'o7', fireAtMs: NOW_MS + 500, revision: 2 },
    ]);
    expect(events).toEqual([{ type: 'requeued', reason: 'world-fault', count: 1 }]);
    expect(await deferAfterFault(tools, timerOf('9'), torn)).toMatchObject([{ timerId: '9', fireAtMs: NOW_MS + 10 }]);
    expect(events.slice(1)).toEqual([{ type: 'requeued', reason: 'locked', count: 1 }]);
    expect(deferred).toEqual(['7', '9'].map((timerId) => ({ timerId, revision: 1, byMs: 500, claims: 0 })));
  });

  it('are held with their homes if all are of things; a mixture is deferred by rows', async () => {
    const calls: string[] = [];
    const { tools } = makeTools({
      hold: async () => void calls.push('hold'),
      defer: async () => {
        calls.push('defer');
        return { timers: [], nowMs: NOW_MS };
      },
    });
    const by = () => ({ byMs: 100, claims: 0 }) as const;
    const { timers } = await deferRows(tools, [timerOf('2'), timerOf('4')], by);
    expect(timers.map(({ fireAtMs }) => fireAtMs - NOW_MS)).toEqual([100, 100]);
    await deferRows(tools, [timerOf('2'), timerOf('7')], by);
    await deferRows(tools, [], by);
    expect(calls).toEqual(['hold', 'defer', 'defer']);
  });

  it.each([
    [499, 'locked'],
    [500, 'world-fault'],
  ])('a lock that has lasted for %s ms is of the sort: %s', async (lateMs, reason) => {
    const { tools, events } = makeTools({
      defer: async () => ({ timers: [timerOf('7', { revision: 2 })], nowMs: NOW_MS }) as never,
    });
    await requeueLocked(tools, timerOf('7', { fireAtMs: NOW_MS - lateMs }), torn);
    expect(events).toEqual([{ type: 'requeued', reason, count: 1 }]);
  });
});

describe('late timers', () => {
  const LATE_MS = 300_000;
  const late = (id: string, more: Partial<Timer> = {}) =>
    timerOf(id, { dueAtMs: NOW_MS - LATE_MS, fireAtMs: NOW_MS - LATE_MS, misfire: { late: 'hand' }, ...more });
  const kind = { kind: 'order', fire: async () => undefined };
  /** A store whose `fire` locks all but some rows, and keeps what was judged. */
  const judging = (isLocked: (timer: Timer) => boolean = () => false) => {
    const updates: TimerUpdate[] = [];
    const fire: TimerStore['fire'] = async (seen, work) => {
      const timers = seen.filter((timer) => !isLocked(timer));
      updates.push(...((await work({} as never, { timers, nowMs: NOW_MS })) as readonly TimerUpdate[]));
      return { timers, nowMs: NOW_MS } as never;
    };
    return { ...makeTools({ fire }), updates };
  };
  const ids = (timers: readonly Pick<Timer, 'id'>[]) => timers.map(({ id }) => id);

  it('are judged before their first attempt alone', async () => {
    const { tools, updates } = judging();
    const judged = [
      late('1', { attempt: 1 }),
      late('3', { claims: 1 }),
      late('5', { lateness: { turn: 1, dueAtMs: NOW_MS, lateMs: 5, missed: 0, isMisfire: true } }),
      late('7', { misfire: undefined }),
    ];
    expect(await judgeLate(tools, kind, judged)).toEqual({ firing: judged, later: [] });
    expect(updates).toEqual([]);
    const { firing } = await judgeLate(tools, kind, [...judged, late('9')]);
    expect(ids(firing)).toEqual(['1', '3', '5', '7', '9']);
    expect(updates).toMatchObject([{ timerId: '9', lateness: { lateMs: LATE_MS } }]);
    expect(firing.at(-1)).toMatchObject({ revision: 2, lateness: { lateMs: LATE_MS } });
  });

  it('are judged by the policy of their kind, or of their recurrence, if they have none', async () => {
    const { tools, updates } = judging();
    const plain = late('1', { misfire: undefined });
    const recurring = late('3', { misfire: undefined, recurrence: { every: { ms: 7000 } } });
    await judgeLate(tools, { ...kind, misfire: { late: 'hand' } }, [plain]);
    await judgeLate(tools, kind, [recurring]);
    expect(updates.map(({ timerId }) => timerId)).toEqual(['1', '3']);
  });

  it('that another transaction has come again soon; those that end leave the index; the others fire', async () => {
    const { tools, changes, events, updates } = judging(({ id }) => id === '1');
    const { firing, later } = await judgeLate(tools, kind, [
      late('1'),
      late('3', { misfire: { late: 'skip' } }),
      late('5', { misfire: { late: 'dead' } }),
      late('7'),
      late('9', { misfire: { late: 'skip' }, recurrence: { every: { ms: 3 * LATE_MS } } }),
    ]);
    expect(ids(firing)).toEqual(['7']);
    expect(later.map(({ timerId, fireAtMs }) => [timerId, fireAtMs - NOW_MS])).toEqual([
      ['9', 2 * LATE_MS],
      ['1', 100],
    ]);
    expect(changes).toMatchObject([{ put: [], remove: [{ timerId: '3' }, { timerId: '5' }] }]);
    expect(events).toContainEqual({ type: 'requeued', reason: 'locked', count: 1 });
    expect(events.filter(({ type }) => type === 'dead')).toHaveLength(1);
    expect(updates.map(({ timerId, state }) => [timerId, state])).toEqual([
      ['3', 'completed'],
      ['5', 'dead'],
      ['7', 'scheduled'],
      ['9', 'scheduled'],
    ]);
  });

  it.each([
    ['the world fails', { isWorldFault: () => true }],
    ['the rows are locked', { isContention: () => true }],
  ])('are requeued where %s; those in time fire', async (_, of) => {
    const { tools, events } = makeTools({ ...of, fire: async () => Promise.reject(torn) });
    const { firing, later } = await judgeLate(tools, kind, [late('1'), timerOf('3'), late('5')]);
    expect(ids(firing)).toEqual(['3']);
    expect(later.map(({ timerId }) => timerId)).toEqual(['1', '5']);
    expect(events).toEqual([{ type: 'requeued', reason: 'world-fault', count: 2 }]);
  });

  it('whose judgement is refused have failed, each alone; those in time fire', async () => {
    const saved: string[] = [];
    const { tools } = makeTools({
      fire: async () => Promise.reject(torn),
      save: async (updates) => {
        saved.push(...updates.map(({ timerId }) => timerId));
        return updates.map(({ timerId }) => timerOf(timerId, { revision: 2 })) as never;
      },
    });
    const { firing, later } = await judgeLate(tools, kind, [late('1'), timerOf('3'), late('5')]);
    expect(ids(firing)).toEqual(['3']);
    expect(saved).toEqual(['1', '5']);
    expect(later.map(({ timerId }) => timerId)).toEqual(['1', '5']);
  });
});

describe('owners that are settled', () => {
  /** Settles three owners: of `locked` and `away` nothing is settled, of `due` the settle moves nothing. */
  const settling = async (
    given: readonly Timer[],
    owners: { locked?: string; away?: string; due?: string; alsoDue?: string },
  ) => {
    const calls: unknown[] = [];
    const { tools, events, lines } = makeTools({
      isWorldFault: (error) => error === torn,
      stillDue: async (timers) => {
        calls.push(['read', ...timers.map(({ id }) => id)]);
        return { timers: timers.filter(({ id }) => id === '2' || id === '12'), nowMs: NOW_MS } as never;
      },
      release: async (of) => void calls.push(['release', ...of]),
      hold: async (holds) => void calls.push(['hold', ...holds.map(({ owner }) => owner)]),
    });
    const { locked, away, due, alsoDue } = owners;
    const unsettled = [
      ...(locked ? [{ owner: locked, error: new Error('locked'), isLocked: true }] : []),
      ...(away ? [{ owner: away, error: torn, isLocked: false }] : []),
    ];
    const moved = new Set(given.filter(({ owner }) => owner !== due && owner !== alsoDue).map(({ id }) => id));
    const kind = { kind: 'meal', derived: true, module: 'pets', isRetired: false } as const;
    const { entries, finished } = await settleOwners(
      tools,
      { ...kind, settle: async () => ({ unsettled, moved }) },
      given,
    );
    const told = events.map((event) => ('timers' in event ? [event.type, ...ids(event.timers)] : [event.type]));
    return { calls, finished, told, lines, again: entries.map(({ timerId }) => timerId) };
  };
  const ids = (timers: readonly Timer[]) => timers.map(({ id }) => id);
  const of = (id: string, owner: string, attempt = 0) => timerOf(id, { owner, attempt });

  it('have fired; a home is released where an earlier attempt had failed', async () => {
    const given = [of('4', 'ann'), of('6', 'bob', 1), of('8', 'bob', 2)];
    expect(await settling(given, {})).toEqual({
      ...{ calls: [['release', 'bob']], finished: 3, told: [['fired', '4', '6', '8']], lines: [], again: [] },
    });
  });

  it('are held if a timer is due still, and their home is not released', async () => {
    const given = [of('2', 'ann', 1), of('4', 'ann', 1), of('6', 'bob', 1)];
    expect(await settling(given, { due: 'ann' })).toEqual({
      calls: [
        ['read', '2', '4'],
        ['release', 'bob'],
        ['hold', 'ann'],
      ],
      finished: 3,
      told: [['fired', '4', '6'], ['stuck']],
      lines: [],
      again: ['2'],
    });
  });

  it('are held each by itself where timers of two are due still', async () => {
    const { calls, again } = await settling([of('2', 'ann'), of('12', 'ann'), of('22', 'bob')], { due: 'ann' });
    expect(again).toEqual(['2', '12']);
    expect(calls.at(-1)).toEqual(['hold', 'ann']);
    const two = await settling([of('2', 'ann'), of('12', 'bob')], { due: 'ann', alsoDue: 'bob' });
    expect(two.calls.at(-1)).toEqual(['hold', 'ann', 'bob']);
  });

  it('that nothing could settle have not fired: their timers come again, and are not counted as finished', async () => {
    const given = [of('4', 'ann'), of('6', 'ann'), of('8', 'bob')];
    const { lines, ...seen } = await settling(given, { locked: 'ann', away: 'bob' });
    expect(seen).toEqual({ calls: [], finished: 0, told: [['requeued'], ['requeued']], again: ['4', '6', '8'] });
    expect(lines).toMatchObject([{ err: torn, kind: 'order', count: 1 }]);
    const some = await settling([...given, of('10', 'cid')], { locked: 'ann', away: 'bob' });
    expect([some.finished, some.told.at(0)]).toEqual([1, ['fired', '10']]);
  });
});

it('a turn that a call asks for with what JSON does not keep ends the timer, and says why', () => {
  const update = afterCall(timerOf('7'), new Again(NOW_MS + 5, 1n), NOW_MS);
  expect(update).toMatchObject({ state: 'completed', timerId: '7' });
  expect(JSON.stringify(update.result)).toContain('the payload of its next turn: ');
  expect(() => again(Number.NaN)).toThrow(/^again refuses/);
});

describe('the intake', () => {
  /** It reads these rows; the handlers of `order` and `mail` end when the test says so. */
  const makeIntake = (rows: readonly Timer[]) => {
    const ends: (() => void)[] = [];
    let reads = 0;
    const read: TimerStore['read'] = async (refs) => {
      reads += 1;
      return { timers: rows.filter(({ id }) => refs.some(({ timerId }) => timerId === id)), nowMs: NOW_MS };
    };
    const update = (timers: readonly Timer[]) => timers.map((timer) => ({ ...timer, state: 'completed' }));
    const fire: TimerStore['fire'] = async (timers, work) => {
      await work({ query: async () => ({ rows: [] }) } as never, { timers, nowMs: NOW_MS } as never);
      return { timers: update(timers), nowMs: NOW_MS } as never;
    };
    const made = makeTools({ read, fire });
    const kinds = new TimerKinds();
    const byHand = () => new Promise<undefined>((resolve) => void ends.push(() => resolve(undefined)));
    for (const kind of ['order', 'mail']) kinds.register({ kind, call: byHand });
    const tools = {
      ...made.tools,
      kinds,
      store: {
        ...made.tools.store,
        defer: async (deferrals: readonly { timerId: string; byMs: number }[]) => ({
          timers: deferrals.map(({ timerId, byMs }) => ({
            ...(rows.find(({ id }) => id === timerId) as Timer),
            fireAtMs: NOW_MS + byMs,
            revision: 2,
          })),
          nowMs: NOW_MS,
        }),
        save: async () => [],
      },
    } as unknown as FiringTools;
    const share = { use: <Result>(run: () => Promise<Result>) => run() } as never;
    return { ...made, ends, reads: () => reads, intake: new Intake({ tools, limit: 10, share }) };
  };
  const refs = (rows: readonly Timer[]) => rows.map(({ id, owner }) => ({ timerId: id, owner }));

  it('reads nothing where nothing is delivered', async () => {
    const { intake, reads, changes } = makeIntake([]);
    const { count, settled } = await intake.accept([]);
    await settled;
    expect([count, reads(), changes]).toEqual([0, 0, []]);
  });

  it('counts what enters, and logs a kind without a handler once a minute', async () => {
    const rows = [timerOf('7'), timerOf('9', { kind: 'mail' }), timerOf('11', { kind: 'fax' })];
    const { intake, lines } = makeIntake(rows);
    expect((await intake.accept(refs(rows))).count).toBe(2);
    expect(intake.meetsUnknownKinds).toBe(true);
    expect((await intake.accept(refs(rows.slice(2)))).count).toBe(0);
    expect(lines).toMatchObject([{ level: 'warn', code: 'timer/unknown-kind', kind: 'fax', count: 1 }]);
  });

  it('is not idle while one of its lanes is busy', async () => {
    const rows = [timerOf('7'), timerOf('9', { kind: 'mail' })];
    const { intake, ends } = makeIntake(rows);
    await intake.accept(refs(rows));
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(ends).toHaveLength(2);
    ends[0]?.();
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    let isIdle = false;
    const idle = intake.idle().then(() => {
      isIdle = true;
    });
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(isIdle).toBe(false);
    ends[1]?.();
    await idle;
  });
});

describe('the result of a handler', () => {
  const endless = Array.from({ length: 60 }).reduce<unknown>((part) => [part, part], 'x');
  const TOO_LONG = { notKept: expect.stringContaining('as JSON it has more than a million characters') };

  it.each([
    ['nothing', undefined, undefined],
    ['null', null, null],
    ['a million characters', 'x'.repeat(999_998), 'x'.repeat(999_998)],
    ['one more', 'x'.repeat(999_999), TOO_LONG],
    ['two strings that are too long together', ['x'.repeat(600_000), 'x'.repeat(600_000)], TOO_LONG],
    ['parts in very many places', endless, TOO_LONG],
    ['a function', () => undefined, { notKept: 'JSON has no function' }],
    ['half an emoji', ['\ud83d'], { notKept: expect.stringContaining('half a surrogate pair') }],
    ['a NUL', { text: 'a\0b' }, { notKept: expect.stringContaining('U+0000') }],
    ['a backslash before u0000, which is plain text', '\\u0000', '\\u0000'],
    ['a promise', { gold: Promise.resolve(5) }, { notKept: expect.stringContaining('it holds a promise: await it') }],
    ['an undefined field', { a: undefined, b: 1 }, { b: 1 }],
  ])('is kept as JSON, or the row says why not: %s', (_, result, kept) => {
    expect(storableResult(result)).toEqual(kept);
  });

  it('of undefined parts is not too long', () => {
    expect(storableResult(Array.from({ length: 150_000 }))).toHaveLength(150_000);
  });
});
