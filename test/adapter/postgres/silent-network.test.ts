import type { Socket } from 'node:net';
import { Pool, type PoolClient } from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { createPool, surviveLostConnections } from '../../../server/adapter/postgres/pool.ts';
import { createDataSource } from '../../../server/adapter/postgres/schema/data-source.ts';
import { query } from '../../../server/adapter/postgres/statement.ts';
import { withTransaction } from '../../../server/adapter/postgres/transaction.ts';
import { isConnectionFault } from '../../../server/adapter/postgres/world-fault.ts';
import { silentLog } from '../../support/log/logs.ts';
import { silentNetwork } from '../../support/machine/relay.ts';
import { createDatabase } from '../../support/postgres/postgres-server.ts';

const database = async () => {
  const { url, drop } = await createDatabase(inject('postgresUrl'));
  onTestFinished(drop);
  return url;
};

/** Our own pool over a network that can fall silent. */
const poolOverNetwork = async () => {
  const network = await silentNetwork(await database());
  onTestFinished(() => network.stop());
  const pool = createPool({ url: network.url, max: 2, log: silentLog });
  onTestFinished(() => pool.end());
  return { network, pool };
};

// Without the deadline each of these would wait for as long as TCP sends again: a quarter of an hour.

it('a statement that is never answered fails as a lost connection, and the next one is answered', async () => {
  const { network, pool } = await poolOverNetwork();
  await Promise.all([pool.query('select pg_sleep(0.1)'), pool.query('select pg_sleep(0.1)')]);
  network.fallSilent();
  const faults = await Promise.all(
    [1, 2].map(() => query(pool, { text: 'select 1' }).catch((error: unknown) => error)),
  );
  expect(faults.map(isConnectionFault)).toEqual([true, true]);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

it('a host’s pool serves again whose places were taken anew while the network was silent', {
  timeout: 60_000,
}, async () => {
  const network = await silentNetwork(await database());
  const pool = new Pool({ connectionString: network.url, max: 2 });
  surviveLostConnections(pool, silentLog);
  onTestFinished(() => pool.end());
  onTestFinished(() => network.stop());
  await Promise.all([1, 2].map(() => query(pool, { text: 'select pg_sleep(0.1)' })));
  network.cut();
  // Two end with their connections; for the two that wait `pg` opens others, which never arrive.
  await Promise.allSettled([1, 2, 3, 4].map(() => query(pool, { text: 'select 1' })));
  await vi.waitFor(() => expect([pool.totalCount, pool.waitingCount]).toEqual([2, 0]));
  network.restore();
  await vi.waitFor(async () => expect(await query(pool, { text: 'select 1 as one' })).toEqual([{ one: 1 }]), 25_000);
});

it('a transaction that falls silent in its middle ends, and its connection is not used again', async () => {
  const { network, pool } = await poolOverNetwork();
  const transaction = withTransaction(pool, async (tx) => {
    await tx.query('select 1');
    network.fallSilent();
    await tx.query('select 2');
  });
  await expect(transaction).rejects.toSatisfy(isConnectionFault);
  expect(pool.totalCount).toBe(0);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

it('what migrations run has no deadline, and what runs on the same connection afterwards has', async () => {
  const pool = createPool({ url: await database(), max: 1, log: silentLog });
  onTestFinished(() => pool.end());
  const hurry = (client: PoolClient): void =>
    void (client as unknown as { connection: { stream: Socket } }).connection.stream.setTimeout(100);
  const dataSource = await createDataSource({ pool, schema: 'kibble', log: silentLog }).initialize();
  const runner = dataSource.createQueryRunner();
  pool.once('acquire', hurry);
  await runner.connect();
  expect(await runner.query('select pg_sleep(0.4), 1 as one')).toMatchObject([{ one: 1 }]);
  await runner.release();
  await dataSource.destroy();
  const late = withTransaction(pool, async (tx) => {
    hurry(tx);
    await query(tx, { text: 'select pg_sleep(2)' });
  });
  await expect(late).rejects.toThrow('Query read timeout');
});

it('our transactions have their time-outs on a pool of somebody else’s, which keeps its own', async () => {
  const pool = new Pool({ connectionString: await database(), max: 1 });
  onTestFinished(() => pool.end());
  const settings = `select setting from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`;
  const valuesOf = (rows: readonly { setting: string }[]): readonly string[] => rows.map(({ setting }) => setting);
  const inside = await withTransaction(pool, async (tx) => (await tx.query<{ setting: string }>(settings)).rows);
  expect(valuesOf(inside)).toEqual(['2000', '1000', '3000']);
  expect(valuesOf((await pool.query(settings)).rows)).toEqual(['0', '0', '0']);
});
