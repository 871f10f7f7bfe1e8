import { expect, inject, it } from 'vitest';
import { random } from '../../server/adapter/machine/random.ts';
import { createPool } from '../../server/adapter/postgres/pool.ts';
import { createKibble } from '../../server/kibble.ts';
import { runKibble } from '../support/game/kibble-command.ts';
import { silentLog } from '../support/log/logs.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';

const redis = inject('redisUrl');
const HOUR_MS = 3_600_000;

it.skipIf(redis === '')(
  'kibble verify compares the rows with the index in Redis: it finds nothing, then a timer at another time',
  { timeout: 60_000 },
  async () => {
    const database = await createDatabase(inject('postgresUrl'));
    const redisPrefix = random.uniqueName();
    const pool = createPool({ url: database.url, max: 10, log: silentLog });
    const kinds = [{ kind: 'order', fire: async () => undefined }];
    const kibble = createKibble({ pool, redis, redisPrefix, kinds, log: silentLog, playerId: ({ sub }) => sub });
    await kibble.lifecycle.boot();
    const dueAtMs = (await kibble.now()) + HOUR_MS;
    await kibble.timers.schedule(
      Array.from({ length: 20 }, (_, at) => ({ kind: 'order', subject: `order-${at}`, owner: `ann-${at}`, dueAtMs })),
    );
    const env = { DATABASE_URL: database.url, REDIS_URL: redis, REDIS_PREFIX: redisPrefix };
    expect(await runKibble(['verify'], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('index: 0 differences'),
    });

    // Without a process that would heal it.
    await kibble.lifecycle.shutdown();
    await pool.query(
      `update kibble.timer_due d set fire_at = d.fire_at + 7 from kibble.timer t where t.id = d.id and t.subject = 'order-3'`,
    );
    const { code, out } = await runKibble(['verify'], env);
    expect(code).toBe(1);
    expect(out).toMatch(/^timer \d+ of ann-3: the row fires .*, the index /);
    expect(out).toContain('index: 1 differences');
    expect((await runKibble(['verify', '--no-index'], env)).code).toBe(0);

    // As in the middle of a refill: nothing was put into the next generation.
    await pool.query('update kibble.timer_index set generation = generation + 1');
    const refilled = await runKibble(['verify'], env);
    expect(refilled).toMatchObject({
      code: 1,
      out: expect.stringContaining('index: not compared (it is being refilled'),
    });
    expect(refilled.out).not.toContain('timer ');
    await pool.end();
    await database.drop();
  },
);
