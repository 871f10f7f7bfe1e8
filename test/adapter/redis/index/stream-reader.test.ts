import { describe, expect, inject, it } from 'vitest';
import { StreamReader } from '../../../../server/adapter/redis/index/stream-reader.ts';
import { ManualClock } from '../../../../server/runtime/manual-clock.ts';
import type { Delivery } from '../../../../server/timer/index/due-index.ts';
import { startRedisIndex } from '../../../support/engine/due-index.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

/** Streams of four shards, and a reader that only the test notifies. */
const makeScene = () => {
  const clock = new ManualClock(NOW_MS);
  const streams = new Map<number, Delivery[]>();
  const asked: number[] = [];
  const failing = new Set<number>();
  const reader = new StreamReader({
    clock,
    shards: 4,
    read: async (shard, count) => {
      asked.push(shard);
      if (failing.has(shard)) throw new Error(`shard ${shard} does not answer`);
      return streams.get(shard)?.splice(0, count) ?? [];
    },
  });
  const arrive = (shard: number): void => {
    const delivery = { shard, receipt: `${shard}`, timers: [{ timerId: '1', owner: 'ann' }] };
    streams.set(shard, [...(streams.get(shard) ?? []), delivery]);
  };
  return { clock, reader, arrive, asked, failing };
};

const shardsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ shard }) => shard);

it('finds within a second what no wake-up told of, however long it may wait', async () => {
  const { clock, reader, arrive } = makeScene();
  await reader.receive(10, 0, never);
  arrive(2);
  const received = reader.receive(10, HOUR_MS, never);
  await new Promise(setImmediate);
  clock.advance(1000);
  expect(shardsOf(await received)).toEqual([2]);
});

it('looks into every shard once a second too while others keep it busy', async () => {
  const { clock, reader, arrive } = makeScene();
  await reader.receive(10, 0, never);
  arrive(3);
  const received: number[] = [];
  for (let at = 0; at < 11; at += 1) {
    arrive(0);
    reader.note(0);
    received.push(...shardsOf(await reader.receive(10, 0, never)));
    clock.advance(100);
  }
  expect(received.filter((shard) => shard === 3)).toHaveLength(1);
});

it('asks no stream twice a second without a reason', async () => {
  const { clock, reader, asked } = makeScene();
  for (let at = 0; at < 10; at += 1) {
    await reader.receive(10, 0, never);
    clock.advance(99);
  }
  expect(asked.toSorted()).toEqual([0, 1, 2, 3]);
});

it('returns what it took from other shards when one fails, and throws only if it took nothing', async () => {
  const { clock, reader, arrive, failing } = makeScene();
  failing.add(1);
  arrive(0);
  arrive(2);
  expect(shardsOf(await reader.receive(10, 0, never))).toEqual([0, 2]);
  clock.advance(1000);
  await expect(reader.receive(10, 0, never)).rejects.toThrow('shard 1 does not answer');
});

describe.skipIf(inject('redisUrl') === '')('with a Redis server', () => {
  it('receives what was handed off by a process whose messages are lost', async () => {
    const url = inject('redisUrl');
    let muted = 0;
    const mute = (lua: string): string =>
      lua.replaceAll("redis.pcall('PUBLISH'", () => {
        muted += 1;
        return "string.len('PUBLISH'";
      });
    const silent = await startRedisIndex({ url, plant: mute });
    const other = await startRedisIndex({ url, prefix: silent.prefix, isBegun: false });
    other.index.inUse.use({ number: 1, shards: 4 });
    await other.index.queue.receive(10, 0, never);
    await silent.index.orders.put([{ timerId: '1', owner: 'ann', fireAtMs: NOW_MS, revision: 1 }]);
    for (let shard = 0; shard < 4; shard += 1) await silent.index.handOffs.handOff(shard, NOW_MS, 10);
    const deliveries = await other.index.queue.receive(10, HOUR_MS, never);
    expect(deliveries.flatMap(({ timers }) => timers)).toEqual([{ timerId: '1', owner: 'ann' }]);
    expect(muted).toBe(2);
    await silent.dispose();
    await other.dispose();
  });
});
