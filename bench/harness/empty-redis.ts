import { Redis } from 'ioredis';

/** Nobody before leaves anything: no keys, no settings, no log to be rewritten in the middle of a measurement. */
export const emptyRedis = async (url: string): Promise<void> => {
  const redis = new Redis(url);
  await redis.flushall();
  await redis.config('SET', 'hz', '10');
  await redis.config('SET', 'auto-aof-rewrite-percentage', '0');
  redis.disconnect();
};
