import { Pool, types } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { checkout, releaseClient } from '../../../server/adapter/postgres/checkout.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { query } from '../../../server/adapter/postgres/statement.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { withTransaction } from '../../../server/adapter/postgres/transaction.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';
import { prove } from '../../support/properties/prove.ts';

/** A host's own pool, on which the game has done to its sessions what it likes. */
const hostsTimers = async (max = 8, options = '') => {
  const open = (url: string) => {
    const pool = new Pool({ connectionString: url, max, options });
    return pool;
  };
  const { pool, schema, dispose } = await createTimerDatabase(inject('postgresUrl'), open);
  onTestFinished(dispose);
  return { pool, store: new PostgresTimerStore(new Database({ pool, schema })) };
};

const timer = (subject: string) => ({ kind: 'order', subject, owner: 'ann', dueAtMs: 1_900_000_000_000 });

it('reads its rows by its own types, whatever parsers the game has set for all of pg', async () => {
  const oids = [
    types.builtins.JSONB,
    types.builtins.INT8,
    types.builtins.INT4,
    types.builtins.BOOL,
    types.builtins.TEXT,
  ];
  const before = oids.map((oid) => types.getTypeParser(oid));
  onTestFinished(() => {
    for (const [at, oid] of oids.entries()) types.setTypeParser(oid, before[at] ?? String);
  });
  for (const oid of oids) types.setTypeParser(oid, (text) => `the game's ${text}`);
  const { store } = await hostsTimers();
  await store.schedule([{ ...timer('a'), payload: { gold: 7 } }]);
  const [found] = await store.find([{ kind: 'order', subject: 'a' }]);
  expect(found).toMatchObject({ payload: { gold: 7 }, owner: 'ann', turn: 1, dueAtMs: 1_900_000_000_000 });
  const beganAtMs = await store.transaction(async (_, nowMs) => nowMs);
  expect(beganAtMs).toBeGreaterThan(1_700_000_000_000);
});

it.each(['serializable', 'repeatable\\ read'])(
  'changes timers that have nothing to do with each other at once, in sessions that are %s',
  async (level) => {
    const { store } = await hostsTimers(8, `-c default_transaction_isolation=${level}`);
    const subjects = Array.from({ length: 60 }, (_, at) => `timer ${at}`);
    await Promise.all(subjects.map((subject) => store.schedule([timer(subject)])));
    const shift = (subject: string) => [{ target: { kind: 'order', subject }, change: 'shift' as const, byMs: 1 }];
    const moved = await Promise.allSettled([
      ...subjects.map((subject) => store.change(shift(subject))),
      ...subjects.slice(0, 10).map(() => store.transaction((tx) => store.change(shift('timer 0'), tx))),
    ]);
    expect(moved.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await store.find([{ kind: 'order', subject: 'timer 0' }]))[0]?.dueAtMs).toBe(1_900_000_000_011);
  },
  20_000,
);

it('leaves the isolation level of the host’s own transactions as it is', async () => {
  const { pool, store } = await hostsTimers(1, '-c default_transaction_isolation=serializable');
  const level = 'show transaction_isolation';
  expect(await withTransaction(pool, async (tx) => (await tx.query(level)).rows)).toEqual([
    { transaction_isolation: 'read committed' },
  ]);
  await store.nowMs();
  expect((await pool.query(level)).rows).toEqual([{ transaction_isolation: 'serializable' }]);
});

it('waits five seconds for a pool that is used up, tells its numbers, and keeps no connection that comes late', async () => {
  const { pool, store } = await hostsTimers(2);
  const kept = await Promise.all([pool.connect(), pool.connect()]);
  const askedAtMs = performance.now();
  const faults = await Promise.all([
    store.nowMs().catch((error: unknown) => error),
    store.transaction(async () => undefined).catch((error: unknown) => error),
  ]);
  expect(performance.now() - askedAtMs).toBeGreaterThan(4_900);
  for (const fault of faults) {
    expect(fault).toMatchObject({
      name: 'PoolUsedUp',
      message: expect.stringContaining('(2 open, 0 idle, 2 waiting)'),
    });
    expect(store.isWorldFault(fault)).toBe(true);
  }
  for (const client of kept) client.release();
  expect(await store.nowMs()).toBeGreaterThan(0);
  expect(pool.idleCount).toBe(pool.totalCount);
}, 20_000);

it('names a pool that the game has ended', async () => {
  const pool = new Pool({ connectionString: inject('postgresUrl') });
  await pool.end();
  const store = new PostgresTimerStore(new Database({ pool, schema: 'kibble' }));
  for (const call of [() => store.nowMs(), () => store.transaction(async () => undefined)]) {
    await expect(call()).rejects.toMatchObject({ code: 'pool/ended', retryable: false });
  }
});

const prepareOn = async (pool: Pool, text: string, connections: number): Promise<void> => {
  const clients = await Promise.all(Array.from({ length: connections }, () => checkout(pool)));
  for (const client of clients) await query(client, { name: 'counted', text });
  for (const client of clients) releaseClient(client);
};

it('loses no statement to a column whose type changed, however many connections had prepared it', async (context) => {
  const { pool } = await hostsTimers(6);
  const text = 'select name from prize';
  await pool.query(`create table prize (name text); insert into prize values ('a crown')`);
  await prepareOn(pool, text, 6);
  await pool.query('alter table prize alter column name type varchar(80)');
  const read = Array.from({ length: 6 }, () => query(pool, { name: 'counted', text }));
  expect(await Promise.all(read)).toEqual(Array(6).fill([{ name: 'a crown' }]));
  prove(context, { row: 31, tries: 1, of: 'columns whose type changed' });
});

it('closes a connection whose prepared statements somebody took back, and asks on another one', async () => {
  const { pool } = await hostsTimers(1);
  const text = 'select 1 as one';
  await prepareOn(pool, text, 1);
  await pool.query('deallocate all');
  expect(await query(pool, { name: 'counted', text })).toEqual([{ one: 1 }]);
  await pool.query('deallocate all');
  const failed = withTransaction(pool, (tx) => query(tx, { name: 'counted', text }));
  await expect(failed).rejects.toMatchObject({ code: '26000' });
  expect(await withTransaction(pool, (tx) => query(tx, { name: 'counted', text }))).toEqual([{ one: 1 }]);
});
