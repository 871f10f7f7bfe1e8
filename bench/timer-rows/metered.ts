import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import type { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import { silentLog } from '../../test/support/log/silent-log.ts';
import { cpuMicrosOf } from '../costs/meter.ts';
import { SCHEMA } from '../harness/migrated.ts';

export const BATCH = 64;

export type Costs = Readonly<Record<string, number>>;

/** A checkout, an empty database, and how many timers. */
export interface Measured {
  readonly root: string;
  readonly url: string;
  readonly count: number;
}

/** Times phases of a store: each is `work` in batches, from every 64th on. */
interface Metered {
  readonly store: PostgresTimerStore;
  readonly pool: Pool;
  /** The statements of the homes, as that checkout has them. */
  readonly homeSql: Readonly<Record<string, string>>;
  readonly phase: (name: string, work: (from: number) => Promise<unknown>) => Promise<void>;
  readonly analyze: () => Promise<unknown>;
}

/**
 * Microseconds of Postgres' CPU a row, of the store in the checkout `root`, one backend, batches of 64. After each
 * statement the same backend vacuums its tables, so that the cost of cleaning up counts; autovacuum is off.
 */
export const metered = async ({ root, url, count }: Measured, work: (on: Metered) => Promise<void>): Promise<Costs> => {
  const { pool, store, homeSql, tables } = await openStore(root, url);
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const cpu = (): number => cpuMicrosOf(rows[0]?.pid ?? 0);
  const costs: Record<string, number> = {};
  await work({
    ...{ store, pool, homeSql },
    analyze: () => pool.query('analyze'),
    phase: async (name, each) => {
      const before = cpu();
      for (let from = 0; from < count; from += BATCH) await each(from);
      await pool.query(`vacuum ${tables.join(', ')}`);
      costs[name] = (cpu() - before) / count;
    },
  });
  await pool.end();
  return costs;
};

/** The store as that checkout has it, on its own tables, and one connection. */
const openStore = async (root: string, url: string) => {
  const load = (file: string) =>
    import(pathToFileURL(path.resolve(root, 'server/adapter/postgres', `${file}.ts`)).href);
  const { createPool } = await load('pool');
  const { createDataSource } = await load('schema/data-source');
  const { migrate } = await load('schema/migrate');
  const { PostgresTimerStore: Store } = await load('timer/timer-store');
  // Checkouts before it have stores that take the pool and the schema of any object.
  const { Database } = await load('database').catch(() => import('../../server/adapter/postgres/database.ts'));
  const pool: Pool = createPool({ url, max: 1, log: silentLog });
  const dataSource = await createDataSource({ pool, schema: SCHEMA, log: silentLog }).initialize();
  await migrate(dataSource);
  await dataSource.destroy();
  await pool.query('set statement_timeout = 0');
  const { rows } = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relname in ('timer', 'timer_due', 'thing') and relkind = 'r'`,
  );
  const tables = rows.map(({ name }) => name);
  for (const name of tables) await pool.query(`alter table ${name} set (autovacuum_enabled = off)`);
  const store: PostgresTimerStore = new Store(new Database({ pool, schema: SCHEMA }));
  const { homeSql } = await load('home/home-sql');
  return { pool, store, homeSql: homeSql(SCHEMA), tables };
};
