import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createKibble, silent } from '../../server/kibble.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';
import { startRedis } from '../support/redis/redis-server.ts';

it.skipIf(!inject('redisUrl'))(
  'a process has four connections to Redis, as docs/production.md counts them',
  async () => {
    const [database, redis] = [await createDatabase(inject('postgresUrl')), await startRedis()];
    const pool = new Pool({ connectionString: database.url, max: 8 });
    pool.on('error', () => undefined);
    const kibble = createKibble({ pool, redis: redis.url, log: silent, playerId: ({ sub }) => sub });
    const watcher = new Redis(redis.url);
    onTestFinished(async () => {
      await kibble.lifecycle.shutdown();
      watcher.disconnect();
      await pool.end();
      await redis.stop();
      await database.drop();
    });
    await kibble.lifecycle.boot();
    await kibble.homes.look(['ann']);

    const others = async (): Promise<number> =>
      String(await watcher.client('LIST'))
        .trim()
        .split('\n').length - 1;
    await expect.poll(others).toBe(4);
    expect(pool.totalCount).toBeLessThanOrEqual(8);
  },
);
