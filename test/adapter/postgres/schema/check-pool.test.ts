import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { checkPool } from '../../../../server/adapter/postgres/schema/check-pool.ts';
import { timed } from '../../../proof/table/tries.ts';
import { createDatabase, type TestDatabase } from '../../../support/postgres/postgres-server.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createDatabase(inject('postgresUrl'));
  pool = new Pool({ connectionString: database.url, max: 6 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** As PgBouncer does it: a client has a backend for the time of a transaction, the next idle one each time. */
const poolerOf = (backends: readonly PoolClient[]): Pool => {
  const idle = [...backends];
  const connect = async () => {
    let own: PoolClient | undefined;
    const query = async (text: string) => {
      const backend = own ?? idle.shift();
      if (!backend) throw new Error('no backend is idle');
      own = text === 'begin' || (own && text !== 'rollback') ? backend : undefined;
      const answer = await backend.query(text);
      if (!own) idle.push(backend);
      return answer;
    };
    return { query, release: () => undefined };
  };
  return { options: { max: 10 }, connect } as unknown as Pool;
};

const backends = (count: number): Promise<PoolClient[]> =>
  Promise.all(Array.from({ length: count }, () => pool.connect()));

it.each([1, 2, 3, 4])('refuses a pooler in transaction mode with %i connections to Postgres', async (count) => {
  const own = await backends(count);
  const checked = checkPool({ pool: poolerOf(own), held: 2 });
  await checked.catch(() => undefined);
  for (const client of own) client.release();
  await expect(checked).rejects.toMatchObject({
    code: 'database/pooler',
    message: expect.stringMatching(/pool_mode = session/),
  });
});

it('lets a pool of its own sessions pass, and gives all connections back', async () => {
  await checkPool({ pool, held: 2 });
  expect(pool.idleCount).toBe(pool.totalCount);
});

it('ends within five seconds when every connection of the pool is in use, and keeps none that comes late', async () => {
  const small = new Pool({ connectionString: database.url, max: 4 });
  const used = await Promise.all(Array.from({ length: 4 }, () => small.connect()));
  const askedAtMs = performance.now();
  await expect(checkPool({ pool: small, held: 2 })).rejects.toMatchObject({ code: 'database/no-connection' });
  expect(performance.now() - askedAtMs).toBeLessThan(timed(5_500));
  for (const client of used) client.release();
  await small.end();
});
