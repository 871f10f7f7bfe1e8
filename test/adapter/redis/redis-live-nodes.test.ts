import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { RedisLiveNodes } from '../../../server/adapter/redis/redis-live-nodes.ts';
import { startRedisIndex } from '../../support/engine/due-index.ts';

const url = inject('redisUrl');

describe.skipIf(url === '')('live nodes in Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedisIndex>>;
  beforeEach(async () => {
    redis = await startRedisIndex({ url });
  });
  afterEach(() => redis.dispose());
  const node = (self: string) => new RedisLiveNodes({ client: redis.client, inUse: redis.index.inUse, self });
  const beatAt = async (name: string, offsetMs: number): Promise<void> => {
    const [seconds = 0] = (await redis.client.time()).map(Number);
    await redis.client.zadd(`{${redis.prefix}}nodes`, seconds * 1000 + offsetMs, name);
  };

  it('see each other, and not the one that left', async () => {
    const [first, second] = [node('first'), node('second')];
    expect(await first.heartbeat()).toEqual(['first']);
    expect(new Set(await second.heartbeat())).toEqual(new Set(['first', 'second']));
    await second.leave();
    expect(await first.heartbeat()).toEqual(['first']);
  });

  it('do not see one that was silent for three seconds', async () => {
    await beatAt('silent', -3000);
    expect(await node('first').heartbeat()).toEqual(['first']);
  });

  it('do not believe in a beat of the future, as a change of servers may leave one', async () => {
    await beatAt('future', 3_600_000);
    expect(await node('first').heartbeat()).toEqual(['first']);
  });

  it('find each other again after everything was lost', async () => {
    const [first, second] = [node('first'), node('second')];
    for (const each of [first, second]) await each.heartbeat();
    await redis.client.del(`{${redis.prefix}}nodes`);
    expect(await first.heartbeat()).toEqual(['first']);
    await second.heartbeat();
    expect(new Set(await first.heartbeat())).toEqual(new Set(['first', 'second']));
  });
});
