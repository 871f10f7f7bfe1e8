import { expect, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { CallAborted } from '../../../server/timer/fire/running-call.ts';
import { IndexUnavailable } from '../../../server/timer/index/due-index.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { beginInUse } from '../../support/engine/due-index.ts';
import { sabotagedIndex } from '../../support/engine/sabotaged.ts';
import { engineOn, NOW_MS } from '../../support/engine/timer-engine.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';

const HOUR_MS = 3_600_000;
const order = { kind: 'order', subject: 'a', owner: 'ann', dueAtMs: NOW_MS + HOUR_MS };
const key = { kind: 'order', subject: 'a' };

/** An engine with running loops, on an index that a test can delay or take away. */
const makeScene = async () => {
  const clock = new ManualClock(NOW_MS);
  const store = new FakeTimerStore(clock.nowMs);
  const index = new MemoryDueIndex(clock);
  const state: { isDown: boolean; hold: Promise<void> | undefined } = { isDown: false, hold: undefined };
  const faulty = sabotagedIndex(index, {
    orders: {
      put: async (entries) => {
        await state.hold;
        if (state.isDown) throw new IndexUnavailable(new Error('down'));
        return index.orders.put(entries);
      },
      remove: async (removals) => {
        if (state.isDown) throw new IndexUnavailable(new Error('down'));
        return index.orders.remove(removals);
      },
    },
  });
  const { engine, timers, events } = engineOn(store, clock, faulty);
  const times = async () => (await index.orders.listByOwner('ann')).map(({ fireAtMs }) => fireAtMs - NOW_MS);
  return { clock, store, index, state, engine, timers, events, times };
};

const running = async () => {
  const scene = await makeScene();
  scene.engine.register({ kind: 'order', fire: async () => undefined });
  await scene.engine.join();
  await beginInUse(scene.index);
  return scene;
};

it('a call ends at its commit; the index follows, and `idle` waits for it', async () => {
  const { timers, state, times, store } = await running();
  const held = Promise.withResolvers<void>();
  state.hold = held.promise;
  await timers.schedule([order]);
  await timers.reschedule([{ ...key, dueAtMs: NOW_MS + 2 * HOUR_MS }]);
  const [row] = await store.find([key]);
  expect(row?.dueAtMs).toBe(NOW_MS + 2 * HOUR_MS);
  expect(await times()).toEqual([]);
  held.resolve();
  await timers.idle();
  expect(await times()).toEqual([2 * HOUR_MS]);
});

it('what the index missed is in it soon after it is back', async () => {
  const { clock, timers, state, times } = await running();
  await timers.schedule([order, { ...order, subject: 'b' }]);
  await timers.idle();
  state.isDown = true;
  await timers.reschedule([{ ...key, dueAtMs: NOW_MS + 2 * HOUR_MS }]);
  await timers.cancel([{ ...key, subject: 'b' }]);
  await timers.schedule([{ ...order, subject: 'c', dueAtMs: NOW_MS + 3 * HOUR_MS }]);
  await timers.idle();
  expect(await times()).toEqual([HOUR_MS, HOUR_MS]);
  state.isDown = false;
  await timers.schedule([{ ...order, owner: 'bob', subject: 'd' }]);
  for (let turns = 0; turns < 20; turns += 1) {
    clock.advance(250);
    await new Promise(setImmediate);
  }
  expect(await times()).toEqual([2 * HOUR_MS, 3 * HOUR_MS]);
});

it('a call that runs for a timer ends when the move is committed, not when the index has heard of it', async () => {
  const { engine, timers, state, clock } = await makeScene();
  const entered = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  engine.register({
    kind: 'order',
    call: (_timer, signal) => {
      signal.addEventListener('abort', () => ended.resolve(signal.reason));
      entered.resolve();
      return new Promise(() => undefined);
    },
  });
  await timers.schedule([{ ...order, dueAtMs: NOW_MS }]);
  void engine.runDue();
  await entered.promise;
  state.hold = new Promise(() => undefined);
  await timers.reschedule([{ ...key, dueAtMs: NOW_MS + HOUR_MS }]);
  expect(await ended.promise).toBeInstanceOf(CallAborted);
  clock.advance(1);
});

it('a call that a shared statement left undone is done alone, and the index hears of all', async () => {
  const { store, timers, times } = await running();
  const schedule = store.schedule.bind(store);
  let shared = 0;
  (store as TimerStore).schedule = async (wanted, tx) => {
    if (wanted.length === 1) return schedule(wanted, tx);
    shared += 1;
    return [undefined, ...(await schedule(wanted.slice(1), tx))];
  };
  const calls = ['a', 'b', 'c'].map((subject) => timers.schedule([{ ...order, subject }]));
  const outcomes = (await Promise.all(calls)).flat();
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied']);
  expect(shared).toBe(1);
  await timers.idle();
  expect(await times()).toEqual([HOUR_MS, HOUR_MS, HOUR_MS]);
});

it('the index hears of all timers of a kind that is shifted, and the call says how many', async () => {
  const { timers, times } = await running();
  await timers.schedule([order, { ...order, subject: 'b' }]);
  expect(await timers.shiftByKind(['order'], HOUR_MS)).toBe(2);
  await timers.idle();
  expect(await times()).toEqual([2 * HOUR_MS, 2 * HOUR_MS]);
});

it.each([
  ['all calls of a statement fail at once where the database is away', true, 1],
  ['each call of a statement is done alone where one of them may be at fault', false, 1 + 3],
])('%s', async (_, isWorldFault, statements) => {
  const { store, timers } = await running();
  let tries = 0;
  store.isWorldFault = () => isWorldFault;
  store.schedule = async () => {
    tries += 1;
    throw new Error('away');
  };
  const calls = ['a', 'b', 'c'].map((subject) => timers.schedule([{ ...order, subject }]));
  const ended = await Promise.allSettled(calls);
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(tries).toBe(statements);
});
