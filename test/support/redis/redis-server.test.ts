import { Redis } from 'ioredis';
import { expect, inject, it } from 'vitest';
import { startRedis } from './redis-server.ts';

it.skipIf(!inject('redisUrl'))('keeps every acknowledged write across a kill when it appends', async () => {
  const server = await startRedis({ appendonly: true });
  await ask(server.url, (redis) => redis.set('kept', 'yes'));

  await server.kill();
  await server.restart();

  expect(await ask(server.url, (redis) => redis.get('kept'))).toBe('yes');
  await server.stop();
});

const ask = async <T>(url: string, question: (redis: Redis) => Promise<T>): Promise<T> => {
  const redis = new Redis(url);
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
};
