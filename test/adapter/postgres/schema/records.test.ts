import { DatabaseError, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { Database } from '../../../../server/adapter/postgres/database.ts';
import { createPool } from '../../../../server/adapter/postgres/pool.ts';
import { epochEntity, homeEntity } from '../../../../server/adapter/postgres/schema/home-entities.ts';
import { migrate } from '../../../../server/adapter/postgres/schema/migrate.ts';
import { Records } from '../../../../server/adapter/postgres/schema/records.ts';
import { withTransaction } from '../../../../server/adapter/postgres/transaction.ts';
import { isConnectionFault } from '../../../../server/adapter/postgres/world-fault.ts';
import { silentLog } from '../../../support/log/logs.ts';
import { silentNetwork } from '../../../support/machine/relay.ts';
import { type OrmDatabase, ormDatabase } from '../../../support/postgres/orm-database.ts';

let database: OrmDatabase;

beforeAll(async () => {
  database = await ormDatabase(inject('postgresUrl'), 'kibble');
  await migrate(database.dataSource);
});

afterAll(() => database.drop());

const closing = (pool: Pool): Pool => {
  onTestFinished(() => pool.end());
  return pool;
};

const pools = {
  'our pool': () => closing(createPool({ url: database.url, max: 1, log: silentLog })),
  "the host's pool": () => closing(new Pool({ connectionString: database.url, max: 1 })),
};

describe.each(Object.entries(pools))('on %s of one connection', (_, open) => {
  it('reads what a transaction wrote that is under way, and nobody else does', async () => {
    const pool = open();
    const records = new Records(new Database({ pool, schema: 'kibble' }));
    const others = new Records(new Database({ pool: database.pool, schema: 'kibble' }));
    const count = (own: Records, tx?: Parameters<Records['read']>[1]) =>
      own.read((manager) => manager.countBy(homeEntity, { playerId: 'eve' }), tx);
    const undone = new Error('undone');
    const seen: number[] = [];
    const writing = withTransaction(pool, async (tx) => {
      await tx.query(`insert into kibble.home (player_id, seq, last_at, tx, opened) values ('eve', 1, 1, 0, '{}')`);
      seen.push(await count(records, tx), await count(others));
      throw undone;
    });
    await expect(writing).rejects.toBe(undone);
    expect([...seen, await count(records)]).toEqual([1, 0, 0]);
  });

  it('reads at once, the first time too, without a second connection', async () => {
    const pool = open();
    const records = new Records(new Database({ pool, schema: 'kibble' }));
    const epochs = await Promise.all([1, 2, 3].map(() => records.read((manager) => manager.find(epochEntity))));
    expect(new Set(epochs.map(([row]) => row?.epoch)).size).toBe(1);
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
  });

  it('reads within the limits of our transactions', async () => {
    const records = new Records(new Database({ pool: open(), schema: 'kibble' }));
    const [row] = await records.read((manager) => manager.query('show statement_timeout'));
    expect(row).toEqual({ statement_timeout: '3s' });
  });

  it('throws what Postgres says as `pg` says it, and reads on', async () => {
    const records = new Records(new Database({ pool: open(), schema: 'kibble' }));
    const failed = records.read((manager) => manager.query('select nothing'));
    await expect(failed).rejects.toSatisfy((error) => error instanceof DatabaseError && error.code === '42703');
    await expect(records.read((manager) => manager.find(epochEntity))).resolves.toHaveLength(1);
  });
});

it('learns the entities again after a first read that failed', async () => {
  const network = await silentNetwork(database.url);
  onTestFinished(() => network.stop());
  const pool = closing(createPool({ url: network.url, max: 1, log: silentLog }));
  const records = new Records(new Database({ pool, schema: 'kibble' }));
  await pool.query('select 1');
  const failing = withTransaction(pool, async (tx) => {
    await tx.query('select 1');
    network.fallSilent();
    return records.read((manager) => manager.find(epochEntity), tx);
  });
  await expect(failing).rejects.toSatisfy(isConnectionFault);
  await expect(records.read((manager) => manager.find(epochEntity))).resolves.toHaveLength(1);
});
