import { Redis } from 'ioredis';
import type { Item, OpenStrategy } from './strategy.ts';

const KEYS = 16;
const PAUSE_MS = 100;
const QUEUE = 'queue';
const TAKEN_AT_ONCE = 100;
/** How long a worker waits for the queue before it asks again. */
const WAIT_S = 1;

/**
 * Several ZSETs chosen by a hash, each polled by its own loop, a ZSET for each owner with which a timer can be found
 * and moved, and a queue for workers. Here the fewest correct steps: a timer leaves both ZSETs and enters the queue in
 * one transaction.
 */
export const shardedZsets: OpenStrategy = async ({ clock, redisUrl, hand }) => {
  const [redis, worker] = [new Redis(redisUrl), new Redis(redisUrl)];
  const work = async (): Promise<void> => {
    for (;;) {
      const taken = await worker.blmpop(WAIT_S, 1, QUEUE, 'RIGHT', 'COUNT', TAKEN_AT_ONCE);
      if (taken !== null) hand(taken[1].map(Number));
    }
  };
  // It ends with the connection.
  const working = work().catch(() => undefined);
  const turnOf = (key: string) => async (): Promise<number> => {
    for (;;) {
      const [id] = await redis.zrangebyscore(key, '-inf', clock.nowMs(), 'LIMIT', 0, 1);
      if (id === undefined) return PAUSE_MS;
      await redis
        .multi()
        .zrem(key, id)
        .zrem(ownerKeyOf(Number(id)), id)
        .lpush(QUEUE, id)
        .exec();
    }
  };
  const put = async (items: readonly Item[], option: readonly 'XX'[]): Promise<void> => {
    const pipeline = redis.pipeline();
    for (const { id, dueAtMs } of items)
      for (const key of [keyOf(id), ownerKeyOf(id)]) pipeline.call('ZADD', key, ...option, dueAtMs, id);
    await pipeline.exec();
  };
  return {
    schedule: (items) => put(items, []),
    move: (moves) => put(moves, ['XX']),
    loops: keys.map(turnOf),
    waiting: async () =>
      (await Promise.all(keys.map((key) => redis.zcard(key)))).reduce((sum, count) => sum + count, 0),
    close: async () => {
      redis.disconnect();
      worker.disconnect();
      await working;
    },
  };
};

const keys = Array.from({ length: KEYS }, (_, key) => `due:${key}`);
const keyOf = (id: number): string => `due:${(Math.imul(id, 2_654_435_761) >>> 16) % KEYS}`;
const ownerKeyOf = (id: number): string => `owner:${Math.floor(id / 10)}`;
