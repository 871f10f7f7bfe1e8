import { beforeEach, describe, expect, inject, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import { OwnerCheck } from '../../../server/timer/index/owner-check.ts';
import type { EngineMeasurement } from '../../../server/timer/model/engine-event.ts';
import { entryOf, type IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { beginGeneration, startRedisIndex } from '../../support/engine/due-index.ts';
import { sabotagedIndex } from '../../support/engine/sabotaged.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const ghost = { timerId: '999999', owner: 'ann', fireAtMs: NOW_MS + HOUR_MS, revision: 3 };

/** Two timers of each owner, of which the index was told. */
const makeScene = async (makeIndex?: () => Promise<DueIndex>) => {
  const clock = new ManualClock(NOW_MS);
  const store = new FakeTimerStore(clock.nowMs);
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
  const events: EngineMeasurement[] = [];
  const calls: string[] = [];
  const counted = <Input, Output>(name: string, call: (input: Input) => Promise<Output>) => {
    return (input: Input): Promise<Output> => {
      calls.push(name);
      return call(input);
    };
  };
  const state = { isWhole: true, isAvailable: true };
  const check = new OwnerCheck({
    store,
    index: {
      get isAvailable() {
        return state.isAvailable;
      },
      orders: {
        ...sabotagedIndex(index, {}).orders,
        put: counted('put', (some) => index.orders.put(some)),
        remove: counted('remove', (some) => index.orders.remove(some)),
        listByOwner: counted('list', (owner) => index.orders.listByOwner(owner)),
        fireTimes: counted('fire times', (some) => index.orders.fireTimes(some)),
      },
    },
    isIndexWhole: async () => state.isWhole,
    observe: (event) => events.push(event),
  });
  /** An update of the owner was lost, and the index is back. */
  const lose = async (owner = 'ann'): Promise<number> => {
    check.note([owner]);
    return check.tick();
  };
  const ofAnn = entries.filter(({ owner }) => owner === 'ann');
  const has = async () =>
    (await index.orders.listByOwner('ann')).map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs }));
  const should = ofAnn.map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs }));
  const [first] = ofAnn;
  if (first === undefined) throw new Error('ann has two');
  return { clock, store, index, events, calls, state, check, lose, has, should, first, entries };
};

let scene: Awaited<ReturnType<typeof makeScene>>;
beforeEach(async () => {
  scene = await makeScene();
});

const healed = () => scene.events.filter(({ type }) => type === 'reconciled');

it('asks the index once for an owner who lacks nothing, and writes nothing', async () => {
  await scene.lose();
  expect(scene.calls).toEqual(['list']);
  expect(scene.events).toEqual([]);
});

it('asks once for an owner of whom many updates were lost', async () => {
  const wakes = Array.from({ length: 50 }, () => scene.check.note(['ann', 'bob']));
  expect(wakes).toEqual([true, ...Array(49).fill(false)]);
  expect(await scene.check.tick()).toBe(0);
  expect(await scene.check.tick()).toBeGreaterThan(60_000);
  expect(scene.calls).toEqual(['list', 'list']);
});

it('waits for the index to be back', async () => {
  await scene.index.orders.remove([scene.first]);
  scene.state.isAvailable = false;
  expect(await scene.lose()).toBe(250);
  expect(scene.calls).toEqual([]);
  scene.state.isAvailable = true;
  expect(await scene.check.tick()).toBe(0);
  expect(await scene.has()).toEqual(scene.should);
});

it('looks again at owners whose look failed', async () => {
  await scene.index.orders.remove([scene.first]);
  const { read } = scene.store;
  scene.store.read = () => Promise.reject(new Error('no database'));
  await expect(scene.lose()).rejects.toThrow('no database');
  scene.store.read = read;
  await scene.check.tick();
  expect(await scene.has()).toEqual(scene.should);
});

it('pauses after a look that failed, and while the index is refilled', async () => {
  await scene.index.orders.remove([scene.first]);
  const { read } = scene.store;
  scene.store.read = () => Promise.reject(new Error('no database'));
  await expect(scene.lose()).rejects.toThrow('no database');
  scene.store.read = read;
  scene.state.isWhole = false;
  expect(await scene.check.tick()).toBe(250);
  expect(scene.check.note(['bob'])).toBe(false);
});

it('compares a hundred owners at a time, ten thousand in all', async () => {
  scene.check.note(Array.from({ length: 10_500 }, (_, number) => `owner-${number}`));
  let turns = 0;
  while ((await scene.check.tick()) === 0) turns += 1;
  expect(turns).toBe(100);
  expect(scene.calls).toHaveLength(10_000);
});

it('puts what is missing, and counts it', async () => {
  await scene.index.orders.remove([scene.first]);
  await scene.lose();
  expect(await scene.has()).toEqual(scene.should);
  expect(healed()).toEqual([{ type: 'reconciled', missing: 1, misplaced: 0, ghosts: 0 }]);
});

it('puts right what stands at another time, and counts it', async () => {
  await scene.index.orders.put([{ ...scene.first, fireAtMs: scene.first.fireAtMs + 1 }]);
  await scene.lose();
  expect(await scene.has()).toEqual(scene.should);
  expect(healed()).toEqual([{ type: 'reconciled', missing: 0, misplaced: 1, ghosts: 0 }]);
});

/** Moves the first timer so often without telling the index, the last time to earlier; returns the row's due time. */
const moveUnheard = async (times: number): Promise<number> => {
  const { store, first } = scene;
  const { timerId } = first;
  const shift = (byMs: number) => ({ target: { timerId }, change: 'shift' as const, byMs });
  await store.change([...Array.from({ length: times - 1 }, () => shift(1)), shift(-times - 60_000)]);
  return first.fireAtMs - 60_001;
};

it.each([1023, 1024, 1500, 2047])(
  'puts right what was moved %i times unheard, the last time to earlier',
  async (times) => {
    const fireAtMs = await moveUnheard(times);
    await scene.lose();
    expect(await scene.has()).toContainEqual({ timerId: scene.first.timerId, fireAtMs });
    expect(await scene.has()).toHaveLength(2);
    scene.events.length = 0;
    await scene.lose();
    expect(scene.events).toEqual([]);
  },
);

it('leaves alone what is moved once more while it is healed', async () => {
  const { store, index, first } = scene;
  const { put } = index.orders;
  await index.orders.put([{ ...first, fireAtMs: first.fireAtMs + 1 }]);
  let moved: IndexEntry | undefined;
  index.orders.put = async (entries) => {
    if (moved === undefined) {
      const shift = { target: { timerId: first.timerId }, change: 'shift' as const, byMs: 7 };
      const [outcome] = await store.change([shift]);
      if (outcome?.outcome === 'applied') moved = entryOf(outcome.timer);
      await put.call(index.orders, moved ? [moved] : []);
    }
    return put.call(index.orders, entries);
  };
  await scene.lose();
  expect(moved?.fireAtMs).toBe(first.fireAtMs + 7);
  expect(await scene.has()).toContainEqual({ timerId: first.timerId, fireAtMs: moved?.fireAtMs });
});

it('removes what no row is for, and counts it', async () => {
  await scene.index.orders.put([ghost]);
  await scene.lose();
  expect(await scene.has()).toEqual(scene.should);
  expect(healed()).toEqual([{ type: 'reconciled', missing: 0, misplaced: 0, ghosts: 1 }]);
});

it('heals nobody else', async () => {
  const ofBob = scene.entries.filter(({ owner }) => owner === 'bob');
  await scene.index.orders.remove(ofBob);
  await scene.lose('ann');
  expect(await scene.index.orders.listByOwner('bob')).toEqual([]);
  await scene.lose('bob');
  expect(await scene.index.orders.listByOwner('bob')).toHaveLength(2);
});

it('changes nothing while the index is refilled, and looks again', async () => {
  await scene.index.orders.remove([scene.first]);
  scene.state.isWhole = false;
  expect(await scene.lose()).toBe(250);
  expect(await scene.has()).toHaveLength(1);
  expect(scene.events).toEqual([]);
  scene.state.isWhole = true;
  await scene.check.tick();
  expect(await scene.has()).toEqual(scene.should);
});

it('leaves alone what is due, or about to be: it may be on its way to a worker', async () => {
  scene.clock.advanceTo(scene.first.fireAtMs - 500);
  await scene.index.orders.remove([scene.first]);
  await scene.lose();
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
  await scene.lose();
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
    await scene.lose();
    expect(await scene.has()).toEqual(scene.should);
    expect(healed()).toHaveLength(1);
    await dispose();
  });

  it('makes right what was moved 1,500 times unheard', async () => {
    const { index, dispose } = await startRedisIndex({ url: inject('redisUrl'), shards: 1 });
    scene = await makeScene(async () => index);
    const fireAtMs = await moveUnheard(1500);
    await scene.lose();
    expect(await scene.has()).toContainEqual({ timerId: scene.first.timerId, fireAtMs });
    await dispose();
  });
});
