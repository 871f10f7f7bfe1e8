import { Redis } from 'ioredis';
import type { Item, OpenStrategy } from './strategy.ts';

const PAUSE_MS = 100;
const KEY = 'due';

/** One ZSET: reads its smallest score, runs the timer if it is due, else sleeps. */
export const zset: OpenStrategy = async ({ clock, redisUrl, hand }) => {
  const redis = new Redis(redisUrl);
  const put = async (items: readonly Item[]): Promise<void> => {
    await redis.zadd(KEY, ...items.flatMap(({ id, dueAtMs }) => [dueAtMs, id]));
  };
  const turn = async (): Promise<number> => {
    for (;;) {
      const [id] = await redis.zrangebyscore(KEY, '-inf', clock.nowMs(), 'LIMIT', 0, 1);
      if (id === undefined) return PAUSE_MS;
      if ((await redis.zrem(KEY, id)) === 1) hand([Number(id)]);
    }
  };
  return {
    schedule: put,
    // A timer that was taken meanwhile is not added again.
    move: async (moves) => {
      await redis.zadd(KEY, 'XX', ...moves.flatMap(({ id, dueAtMs }) => [dueAtMs, id]));
    },
    loops: [turn],
    close: async () => redis.disconnect(),
  };
};
