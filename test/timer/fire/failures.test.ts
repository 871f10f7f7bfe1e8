import { describe, expect, it } from 'vitest';
import { attemptLog, failHomes, failOwn } from '../../../server/timer/fire/failure.ts';
import { deferAfterFault, deferRows, requeueAfterFault, requeueLocked } from '../../../server/timer/fire/requeue.ts';
import { HandlerStuck } from '../../../server/timer/model/timer-errors.ts';
import type { HomeHold, TimerDeferral, TimerUpdate } from '../../../server/timer/model/timer-store.ts';
import { GameFault } from '../../../shared/game-code.ts';
import { makeTools, NOW_MS, timerOf, torn } from '../../support/engine/firing-tools.ts';
import { quiet } from '../../support/engine/lane-scene.ts';

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
      await quiet();
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
