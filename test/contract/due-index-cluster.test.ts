import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { shardOf } from '../../server/adapter/redis/index/redis-keys.ts';
import { RedisLiveNodes } from '../../server/adapter/redis/redis-live-nodes.ts';
import type { Delivery, DueIndex } from '../../server/timer/index/due-index.ts';
import { dueIndexModel } from '../model/due-index-model.ts';
import { startRedisIndex } from '../support/engine/due-index.ts';
import { type RedisCluster, startRedisCluster } from '../support/redis/redis-cluster.ts';
import { dueIndexContract } from './due-index.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const SHARDS = 8;
/** An owner with timers in this shard. */
const ownerIn = (shard: number): string => {
  for (let at = 0; ; at += 1) if (shardOf(`player-${at}`, SHARDS) === shard) return `player-${at}`;
};
const never = new AbortController().signal;

/** One `receive` may come back with nothing: it looks by itself once a second. */
const firstDeliveries = async (index: DueIndex): Promise<readonly Delivery[]> => {
  for (;;) {
    const deliveries = await index.queue.receive(10, HOUR_MS, never);
    if (deliveries.length > 0) return deliveries;
  }
};

describe.skipIf(inject('redisUrl') === '')('with a Redis Cluster of three masters', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.stop());
  const make = () => startRedisIndex({ url: cluster.url, shards: SHARDS });

  dueIndexContract('Redis Cluster', make);
  dueIndexModel('Redis Cluster', { runs: 30, make });

  it('hears of the deliveries of every shard, whichever master has it, on one connection', async () => {
    const { index, dispose } = await make();
    for (let shard = 0; shard < SHARDS; shard += 1) {
      const owner = ownerIn(shard);
      const received = firstDeliveries(index);
      await index.orders.put([{ timerId: String(shard + 1), owner, fireAtMs: NOW_MS, revision: 1 }]);
      await index.handOffs.handOff(shard, NOW_MS, 10);
      const deliveries = await received;
      expect(deliveries.flatMap(({ timers }) => timers)).toEqual([{ timerId: String(shard + 1), owner }]);
      await index.queue.ack(deliveries);
    }
    await dispose();
  });

  it('gives back what a worker left, of every shard, whichever master has it', async () => {
    const { index, dispose } = await make();
    const owners = Array.from({ length: SHARDS }, (_, shard) => ownerIn(shard));
    await index.orders.put(
      owners.map((owner, at) => ({ timerId: String(at + 1), owner, fireAtMs: NOW_MS, revision: 1 })),
    );
    for (let shard = 0; shard < SHARDS; shard += 1) await index.handOffs.handOff(shard, NOW_MS, 10);
    for (let count = 0; count < SHARDS; ) count += (await firstDeliveries(index)).length;
    expect(await index.queue.reclaim(HOUR_MS, 100)).toEqual([]);
    await index.queue.forgetConsumers(0);
    const left = await index.queue.reclaim(0, 100);
    expect(new Set(left.flatMap(({ timers }) => timers.map(({ owner }) => owner)))).toEqual(new Set(owners));
    await index.queue.ack(left);
    expect(await index.queue.oldestUnackedMs()).toEqual(owners.map(() => 0));
    await dispose();
  });

  it('shows live nodes to each other', async () => {
    const { client, index, dispose } = await make();
    const [first, second] = ['first', 'second'].map((self) => new RedisLiveNodes({ client, inUse: index.inUse, self }));
    await first?.heartbeat();
    expect(new Set(await second?.heartbeat())).toEqual(new Set(['first', 'second']));
    await first?.leave();
    expect(await second?.heartbeat()).toEqual(['second']);
    await dispose();
  });
});
