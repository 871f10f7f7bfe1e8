import { Redis } from 'ioredis';

/** How a Redis is set; see its documentation of `CONFIG SET`. */
export type RedisSettings = Readonly<Record<string, string>>;

const asUsual: RedisSettings = { hz: '10', appendfsync: 'everysec' };

/** Nobody before leaves anything: no keys, no settings, no log to be rewritten in the middle of a measurement. */
export const emptyRedis = async (url: string, settings: RedisSettings = {}): Promise<void> => {
  const redis = new Redis(url);
  await redis.flushall();
  await redis.config('SET', 'auto-aof-rewrite-percentage', '0');
  for (const [name, value] of Object.entries({ ...asUsual, ...settings })) await redis.config('SET', name, value);
  redis.disconnect();
};
