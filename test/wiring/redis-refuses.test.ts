import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createTimers, silent } from '../../server/timers.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';

// An operator narrows the rights of a running server's user: some commands of the index are refused from then on.

describe.skipIf(!inject('redisUrl'))('a Redis that refuses', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  beforeAll(async () => {
    database = await createDatabase(inject('postgresUrl'));
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis?.stop();
    await database?.drop();
  });

  it.each(['-xadd', '-xreadgroup', '-zadd', '-@scripting'])(
    '%s fires all timers, and is degraded until it no longer does',
    async (rule) => {
      const pool = new Pool({ connectionString: database.url, max: 8 });
      const admin = new Redis(redis.url);
      const fired: string[] = [];
      const kind = `order${rule}`;
      const fire = async (timers: readonly { readonly subject: string }[]): Promise<undefined> => {
        fired.push(...timers.map(({ subject }) => subject));
        return undefined;
      };
      const game = createTimers({
        pool,
        redis: redis.url,
        redisPrefix: rule.replace('@', ''),
        log: silent,
        kinds: [{ kind, fire }],
      });
      onTestFinished(async () => {
        await admin.call('acl', 'setuser', 'default', '+@all');
        await game.lifecycle.shutdown();
        await admin.quit();
        await pool.end();
      });
      const schedule = (subject: string) => game.timers.schedule([{ kind, subject, owner: 'ann', inMs: 50 }]);
      await game.lifecycle.boot();
      await expect.poll(() => game.health.degraded(), { timeout: 20_000 }).toEqual([]);
      await schedule('before');
      await expect.poll(() => fired, { timeout: 20_000 }).toEqual(['before']);

      await admin.call('acl', 'setuser', 'default', rule);
      await schedule('first');
      await expect.poll(() => fired, { timeout: 20_000 }).toEqual(['before', 'first']);
      await expect.poll(() => game.health.degraded(), { timeout: 20_000 }).toEqual(['redis']);
      await schedule('second');
      await expect.poll(() => fired, { timeout: 20_000 }).toEqual(['before', 'first', 'second']);
      expect(game.health.degraded()).toEqual(['redis']);

      await admin.call('acl', 'setuser', 'default', '+@all');
      await expect.poll(() => game.health.degraded(), { timeout: 20_000 }).toEqual([]);
      await schedule('after');
      await expect.poll(() => fired, { timeout: 20_000 }).toEqual(['before', 'first', 'second', 'after']);
    },
  );
});
