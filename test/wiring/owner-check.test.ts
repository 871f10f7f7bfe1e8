import { expect, inject, it, vi } from 'vitest';
import { random } from '../../server/adapter/machine/random.ts';
import { createRedisClient } from '../../server/adapter/redis/link/redis-client.ts';
import { gameOnRedis } from '../support/game/game-on-redis.ts';

const url = inject('redisUrl');

it.skipIf(url === '')(
  'a join heals the player’s own ZSET, which no other part reads',
  { timeout: 30_000 },
  async () => {
    const prefix = random.uniqueName();
    const { kibble, feed } = await gameOnRedis({ url, prefix });
    const client = createRedisClient(url);
    await client.connect();
    await feed('ann', 'feast');
    const found = async () => (await client.keys(`{${prefix}:*}o:ann`))[0] ?? '';
    await vi.waitFor(async () => expect(await found()).not.toBe(''));
    const wholeness = async () => (await kibble.metrics.getSingleMetric('kibble_index_whole')?.get())?.values[0]?.value;
    // The refill at the start may have read the row by now, and would put its time back by itself.
    await vi.waitFor(async () => expect(await wholeness()).toBe(1), { timeout: 10_000 });
    const key = await found();
    const before = await client.zrange(key, 0, -1, 'WITHSCORES');
    const healed = async () => {
      const metric = kibble.metrics.getSingleMetric('kibble_index_differences_healed_total');
      const values = (await metric?.get())?.values ?? [];
      return Object.fromEntries(values.map(({ labels, value }) => [String(labels.difference), value]));
    };
    await client.zincrby(key, 60_000, before[0] ?? '');
    await client.zadd(key, before[1] ?? '', '999999');
    await kibble.homes.look(['ann']);
    await vi.waitFor(async () => expect(await client.zrange(key, 0, -1, 'WITHSCORES')).toEqual(before), {
      timeout: 10_000,
    });
    await vi.waitFor(async () => expect(await healed()).toEqual({ missing: 0, misplaced: 1, ghost: 1 }));
    client.disconnect();
  },
);
