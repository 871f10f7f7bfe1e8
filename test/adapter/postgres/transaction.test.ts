import type { PoolClient } from 'pg';
import { expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { withTransaction } from '../../../server/adapter/postgres/transaction.ts';
import type { Tx } from '../../../server/timer/model/timer-store.ts';
import { silentLog } from '../../support/log/logs.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';

it('does not take for committed what the database rolled back, because an error was caught and not passed on', async () => {
  const { pool, dispose } = await createTimerDatabase(inject('postgresUrl'));
  const working = withTransaction(pool, async (tx) => {
    await tx.query('create table made (id int)');
    await tx.query('select from nowhere').catch(() => undefined);
  });
  await expect(working).rejects.toThrow('nothing is committed (ROLLBACK)');
  expect((await pool.query("select to_regclass('made') as made")).rows).toEqual([{ made: null }]);
  expect(await withTransaction(pool, async (tx) => (await tx.query('select 1 as one')).rows)).toEqual([{ one: 1 }]);
  await dispose();
});

const ownPool = (url: string) => createPool({ url, max: 2, log: silentLog });

it.each([
  ["a host's pool", undefined],
  ['our own pool', ownPool],
])('tells a transaction on %s the time of the database when it began', async (_name, open) => {
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'), open);
  const store = new PostgresTimerStore(new Database({ pool, schema }));
  const beforeMs = await store.nowMs();
  const { beganAtMs, afterMs } = await store.transaction(async (tx, beganAtMs) => {
    const { rows } = await tx.query<{ ms: string }>('select (extract(epoch from clock_timestamp()) * 1000) as ms');
    return { beganAtMs, afterMs: Number(rows[0]?.ms) };
  });
  expect(Number.isInteger(beganAtMs)).toBe(true);
  expect(beganAtMs).toBeGreaterThanOrEqual(beforeMs);
  expect(beganAtMs).toBeLessThanOrEqual(afterMs);
  await dispose();
});

it('is for functions that take a client of `pg`, or its like, with the type of their rows', async () => {
  const { pool, dispose } = await createTimerDatabase(inject('postgresUrl'));
  interface Hero {
    readonly name: string;
    readonly gold: number;
  }
  const goldOf = async (on: Pick<Tx, 'query'>, name: string): Promise<number | undefined> =>
    (await on.query<Hero>('select $1::text as name, 7 as gold', [name])).rows[0]?.gold;
  const client: PoolClient = await pool.connect();
  expect(await goldOf(client, 'ann')).toBe(7);
  client.release();
  expect(await goldOf(pool, 'ann')).toBe(7);
  expect(await withTransaction(pool, (tx) => goldOf(tx, 'ann'))).toBe(7);
  await dispose();
});

it("has the time-outs in a timer's transaction on a host's pool, and not behind it", async () => {
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'));
  const store = new PostgresTimerStore(new Database({ pool, schema }));
  const settings = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
    current_setting('idle_in_transaction_session_timeout') as idle`;
  const { rows } = await store.transaction((tx) => tx.query(settings));
  expect(rows).toEqual([{ statement: '3s', lock: '1s', idle: '2s' }]);
  expect((await pool.query(settings)).rows).toEqual([{ statement: '0', lock: '0', idle: '0' }]);
  await dispose();
});
