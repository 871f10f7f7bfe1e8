import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import { entryOf, type IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { beginInUse, startRedisIndex } from '../../support/engine/due-index.ts';
import { quiet } from '../../support/engine/lane-scene.ts';
import { type IndexFaults, sabotagedIndex } from '../../support/engine/sabotaged.ts';
import { engineOn, NOW_MS } from '../../support/engine/timer-engine.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';

const HOUR_MS = 3_600_000;
const ghost = { timerId: '999999', owner: 'ann', fireAtMs: NOW_MS + HOUR_MS, revision: 3 };

/** An engine that only follows its index, which was told of two timers of each owner. */
const makeScene = async (makeIndex?: () => Promise<DueIndex>) => {
  const clock = new ManualClock(NOW_MS);
  const store = new FakeTimerStore(clock.nowMs);
  const index = (await makeIndex?.()) ?? new MemoryDueIndex(clock);
  const lists: string[] = [];
  const faults: IndexFaults = {
    orders: {
      listByOwner: (owner) => {
        lists.push(owner);
        return index.orders.listByOwner(owner);
      },
    },
  };
  const { engine, timers, events } = engineOn(store, clock, sabotagedIndex(index, faults));
  engine.register({ kind: 'order', fire: async () => undefined });
  await engine.join();
  await beginInUse(index);
  const outcomes = await timers.schedule(
    ['ann', 'bob'].flatMap((owner) =>
      [1, 2].map((at) => ({ kind: 'order', subject: `${owner}-${at}`, owner, dueAtMs: NOW_MS + at * HOUR_MS })),
    ),
  );
  await timers.idle();
  const entries = outcomes.flatMap((outcome) => (outcome.outcome === 'applied' ? entryOf(outcome.timer) : []));
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await quiet();
  };
  /** Updates that the index does not get. */
  const miss = (owners: readonly string[]): void => {
    faults.isAvailable = false;
    const put = owners.map((owner) => ({ timerId: '1', owner, fireAtMs: NOW_MS + HOUR_MS, revision: 1 }));
    engine.indexWriter.publish({ put, remove: [] });
  };
  /** An update of the owner is missed, and the index is back. */
  const lose = async (...owners: readonly string[]): Promise<void> => {
    miss(owners.length > 0 ? owners : ['ann']);
    faults.isAvailable = true;
    await quiet();
  };
  const has = async () =>
    (await index.orders.listByOwner('ann')).map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs }));
  const [first, second] = entries;
  if (first === undefined || second === undefined) throw new Error('ann has two');
  const should = [first, second].map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs }));
  events.length = 0;
  return { clock, store, index, engine, events, lists, faults, pass, miss, lose, has, should, first, entries };
};

let scene: Awaited<ReturnType<typeof makeScene>>;
beforeEach(async () => {
  scene = await makeScene();
});

const healed = () => scene.events.filter(({ type }) => type === 'reconciled');

it('asks the index once for an owner who lacks nothing, and writes nothing', async () => {
  const put = vi.spyOn(scene.index.orders, 'put');
  await scene.lose();
  expect([scene.lists, scene.events]).toEqual([['ann'], []]);
  expect(put).not.toHaveBeenCalled();
});

it('waits for the index to be back, and asks once for an owner of whom many updates were lost', async () => {
  await scene.index.orders.remove([scene.first]);
  for (let update = 0; update < 50; update += 1) scene.miss(['ann', 'bob']);
  await scene.pass(1000);
  expect(scene.lists).toEqual([]);
  scene.faults.isAvailable = true;
  await scene.pass(249);
  expect(scene.lists).toEqual([]);
  await scene.pass(1);
  expect(await scene.has()).toEqual(scene.should);
  expect(scene.lists).toEqual(['ann', 'bob', 'ann']);
  await scene.pass(60_000);
  expect(scene.lists).toHaveLength(3);
});

it('looks again at owners whose look failed, after a pause', async () => {
  await scene.index.orders.remove([scene.first]);
  const read = vi.spyOn(scene.store, 'read').mockRejectedValue(new Error('no database'));
  await scene.lose();
  await scene.lose();
  expect(read).toHaveBeenCalledTimes(1);
  read.mockRestore();
  expect(await scene.has()).toHaveLength(1);
  await scene.pass(1000);
  expect(await scene.has()).toEqual(scene.should);
});

it('compares a hundred owners at a time, ten thousand in all', async () => {
  const list = vi.spyOn(scene.store, 'listByOwners');
  await scene.lose(...Array.from({ length: 10_500 }, (_, number) => `owner-${number}`));
  expect(list.mock.calls.map(([owners]) => owners.length)).toEqual(Array(100).fill(100));
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

it('changes nothing while the index is refilled, and looks again four times a second', async () => {
  await scene.index.orders.remove([scene.first]);
  scene.faults.marks = { isWhole: async () => false };
  await scene.lose();
  await scene.pass(250);
  expect([await scene.has(), scene.events]).toEqual([[scene.should[1]], []]);
  scene.faults.marks = {};
  await scene.pass(250);
  expect(await scene.has()).toEqual(scene.should);
});

it('leaves alone what is due, or about to be: it may be on its way to a worker', async () => {
  scene.clock.advanceTo(scene.first.fireAtMs - 500);
  await scene.index.orders.remove([scene.first]);
  await scene.lose();
  expect([await scene.has(), scene.events]).toEqual([[scene.should[1]], []]);
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
    await vi.waitFor(() => expect(healed()).toHaveLength(1));
    expect(await scene.has()).toEqual(scene.should);
    await dispose();
  });

  it('makes right what was moved 1,500 times unheard', async () => {
    const { index, dispose } = await startRedisIndex({ url: inject('redisUrl'), shards: 1 });
    scene = await makeScene(async () => index);
    const fireAtMs = await moveUnheard(1500);
    await scene.lose();
    await vi.waitFor(() => expect(healed()).toHaveLength(1));
    expect(await scene.has()).toContainEqual({ timerId: scene.first.timerId, fireAtMs });
    await dispose();
  });
});
