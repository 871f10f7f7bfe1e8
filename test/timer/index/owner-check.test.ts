import { beforeEach, describe, expect, inject, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { MemoryTimerStore } from '../../../server/adapter/memory/memory-timer-store.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import { OwnerCheck } from '../../../server/timer/index/owner-check.ts';
import type { EngineEvent } from '../../../server/timer/model/engine-event.ts';
import { entryOf } from '../../../server/timer/model/index-entry.ts';
import { beginGeneration } from '../../support/engine/begin-generation.ts';
import { startRedisIndex } from '../../support/engine/redis-due-index.ts';
import { sabotagedIndex } from '../../support/engine/sabotaged-index.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const ghost = { timerId: '999999', owner: 'ann', fireAtMs: NOW_MS + HOUR_MS, revision: 3 };

/** Two timers of each owner, of which the index was told. */
const makeScene = async (makeIndex?: () => Promise<DueIndex>) => {
  const clock = new ManualClock(NOW_MS);
  const store = new MemoryTimerStore(clock.nowMs);
  const own = new MemoryDueIndex(clock);
  if (!makeIndex) await beginGeneration(own);
  const index = (await makeIndex?.()) ?? own;
  const owners = ['ann', 'bob'];
  const wanted = owners.flatMap((owner) => [1, 2].map((at) => ({ owner, subject: `${owner}-${at}`, at })));
  const outcomes = await store.schedule(
    wanted.map(({ owner, subject, at }) => ({ owner, subject, kind: 'order', dueAtMs: NOW_MS + at * HOUR_MS })),
  );
  const entries = outcomes.map(({ timer }) => entryOf(timer));
  await index.orders.put(entries);
  const events: EngineEvent[] = [];
  const calls: string[] = [];
  const counted = <Input, Output>(name: string, call: (input: Input) => Promise<Output>) => {
    return (input: Input): Promise<Output> => {
      calls.push(name);
      return call(input);
    };
  };
  const state = { isWhole: true, woken: 0 };
  const check = new OwnerCheck({
    store,
    index: sabotagedIndex(index, {
      orders: {
        put: counted('put', (some) => index.orders.put(some)),
        remove: counted('remove', (some) => index.orders.remove(some)),
        listByOwner: counted('list', (owner) => index.orders.listByOwner(owner)),
        fireTimes: counted('fire times', (some) => index.orders.fireTimes(some)),
      },
    }),
    clock,
    isIndexWhole: async () => state.isWhole,
    observe: (event) => events.push(event),
    onWaiting: () => {
      state.woken += 1;
    },
  });
  /** Somebody joins, and a second passes. */
  const join = async (owner = 'ann'): Promise<void> => {
    check.note([owner]);
    clock.advance(1000);
    await check.tick();
  };
  const ofAnn = entries.filter(({ owner }) => owner === 'ann');
  const has = async () =>
    (await index.orders.listByOwner('ann')).map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs }));
  const should = ofAnn.map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs }));
  const [first] = ofAnn;
  if (first === undefined) throw new Error('ann has two');
  return { clock, store, index, events, calls, state, check, join, has, should, first, entries };
};

let scene: Awaited<ReturnType<typeof makeScene>>;
beforeEach(async () => {
  scene = await makeScene();
});

const healed = () => scene.events.filter(({ type }) => type === 'reconciled');

it('asks the index once for a player who is well, and writes nothing', async () => {
  await scene.join();
  expect(scene.calls).toEqual(['list']);
  expect(scene.events).toEqual([]);
});

it('asks once for a player whom many look at in one second, and for none later', async () => {
  for (let look = 0; look < 50; look += 1) scene.check.note(['ann', 'bob']);
  expect(scene.state.woken).toBe(1);
  expect(await scene.check.tick()).toBe(1000);
  expect(scene.calls).toEqual([]);
  scene.clock.advance(1000);
  await scene.check.tick();
  scene.clock.advance(60_000);
  expect(await scene.check.tick()).toBeGreaterThan(60_000);
  expect(scene.calls).toEqual(['list', 'list']);
});

it('puts what is missing, and counts it', async () => {
  await scene.index.orders.remove([scene.first]);
  await scene.join();
  expect(await scene.has()).toEqual(scene.should);
  expect(healed()).toEqual([{ type: 'reconciled', missing: 1, misplaced: 0, ghosts: 0 }]);
});

it('puts right what stands at another time, and counts it', async () => {
  await scene.index.orders.put([{ ...scene.first, fireAtMs: scene.first.fireAtMs + 1 }]);
  await scene.join();
  expect(await scene.has()).toEqual(scene.should);
  expect(healed()).toEqual([{ type: 'reconciled', missing: 0, misplaced: 1, ghosts: 0 }]);
});

it('removes what no row is for, and counts it', async () => {
  await scene.index.orders.put([ghost]);
  await scene.join();
  expect(await scene.has()).toEqual(scene.should);
  expect(healed()).toEqual([{ type: 'reconciled', missing: 0, misplaced: 0, ghosts: 1 }]);
});

it('heals nobody else', async () => {
  const ofBob = scene.entries.filter(({ owner }) => owner === 'bob');
  await scene.index.orders.remove(ofBob);
  await scene.join('ann');
  expect(await scene.index.orders.listByOwner('bob')).toEqual([]);
  await scene.join('bob');
  expect(await scene.index.orders.listByOwner('bob')).toHaveLength(2);
});

it('changes nothing while the index is refilled', async () => {
  await scene.index.orders.remove([scene.first]);
  scene.state.isWhole = false;
  await scene.join();
  expect(await scene.has()).toHaveLength(1);
  expect(scene.events).toEqual([]);
});

it('leaves alone what is due, or about to be: it may be on its way to a worker', async () => {
  scene.clock.advanceTo(scene.first.fireAtMs - 1500);
  await scene.index.orders.remove([scene.first]);
  await scene.join();
  expect(scene.calls).not.toContain('put');
  expect(scene.events).toEqual([]);
});

it('takes no write that is under way at the first look for a fault', async () => {
  await scene.index.orders.remove([scene.first]);
  const { read } = scene.store;
  scene.store.read = async (ids) => {
    await scene.index.orders.put([scene.first]);
    return read.call(scene.store, ids);
  };
  await scene.join();
  expect(await scene.has()).toEqual(scene.should);
  expect(scene.events).toEqual([]);
});

describe.skipIf(inject('redisUrl') === '')('in Redis, where a player’s ZSET differs from the shard’s too', () => {
  it.each([
    ['lacks an entry', (key: string) => ['ZPOPMIN', key]],
    ['has one at another time', (key: string, id: string) => ['ZADD', key, NOW_MS + 5, id]],
    ['has one too much', (key: string) => ['ZADD', key, NOW_MS + HOUR_MS, '999999']],
  ])('makes right a ZSET that %s', async (_name, command) => {
    const { index, client, prefix, dispose } = await startRedisIndex({ url: inject('redisUrl'), shards: 1 });
    scene = await makeScene(async () => index);
    const [name = '', ...args] = command(`{${prefix}:1:0}o:ann`, scene.first.timerId).map(String);
    await client.call(name, ...args);
    expect(await scene.has()).not.toEqual(scene.should);
    await scene.join();
    expect(await scene.has()).toEqual(scene.should);
    expect(healed()).toHaveLength(1);
    await dispose();
  });
});
