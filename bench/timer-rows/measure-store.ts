import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import type { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import type { Timer } from '../../server/timer/model/timer.ts';
import type { TimerUpdate } from '../../server/timer/model/timer-store.ts';
import { silentLog } from '../../test/support/log/silent-log.ts';
import { cpuMicrosOf } from '../costs/meter.ts';
import { SCHEMA } from '../harness/migrated.ts';

const BATCH = 64;
const DAY_MS = 86_400_000;
const payload = { order: 'a5b2c7', items: [{ name: 'dog-food', count: 3 }], shop: 'north' };
const KIND = 'bench';

export type Costs = Readonly<Record<string, number>>;

/**
 * Microseconds of Postgres' CPU a row, of the store in the checkout `root`, one backend, batches of 64. After each
 * statement the same backend vacuums its tables, so that the cost of cleaning up counts; autovacuum is off.
 */
export const measureStore = async (root: string, url: string, count: number): Promise<Costs> => {
  const { pool, store, tables } = await openStore(root, url);
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const cpu = (): number => cpuMicrosOf(rows[0]?.pid ?? 0);
  const costs: Record<string, number> = {};
  const phase = async (name: string, work: (from: number) => Promise<unknown>): Promise<void> => {
    const before = cpu();
    for (let from = 0; from < count; from += BATCH) await work(from);
    await pool.query(`vacuum ${tables.join(', ')}`);
    costs[name] = (cpu() - before) / count;
  };
  const batch = <Value>(from: number, value: (at: number) => Value): Value[] =>
    Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => value(from + at));
  const startMs = Date.now() + DAY_MS;
  // Far from its neighbours in every index, as players' timers are.
  const dueAtMs = (at: number): number => startMs + ((at * 7_919) % count) * 1000;
  const key = (at: number) => ({ kind: KIND, subject: `subject-${(at * 104_729) % count}` });
  const timers: Timer[] = [];
  await phase('schedule', async (from) => {
    const wanted = batch(from, (at) => ({ ...key(at), owner: `player-${at % 5000}`, dueAtMs: dueAtMs(at), payload }));
    timers.push(...(await store.schedule(wanted)).map(({ timer }) => timer));
  });
  const ids = timers.map(({ id }) => id);
  await pool.query('analyze');
  const id = (at: number): string => ids[(at * 15_485_863) % count] ?? '';
  const changes = (from: number, change: (at: number) => Parameters<PostgresTimerStore['change']>[0][number]) =>
    store.change(batch(from, change), []);
  await phase('earlier, by id', (from) =>
    changes(from, (at) => ({ target: { timerId: id(at) }, change: 'shift', byMs: -7_200_000 })),
  );
  await phase('later, by key', (from) =>
    changes(from, (at) => ({ target: key(at), change: 'shift', byMs: 3_600_000 })),
  );
  await phase('read', (from) => store.read(batch(from, id)));
  const byId = new Map(timers.map((timer) => [timer.id, timer]));
  const seen = (at: number): Timer => {
    const timer = byId.get(id(at));
    if (timer === undefined) throw new Error(`no timer ${id(at)}`);
    return { ...timer, revision: 3 };
  };
  const fire = (from: number, updates: (timers: readonly Timer[]) => readonly TimerUpdate[]) =>
    store.fire(batch(from, seen), async (_tx, { timers: locked }) => updates(locked));
  await phase('lock', (from) => fire(from, () => []));
  await phase('lock and finish', (from) => fire(from, (locked) => locked.map(completed)));
  await phase('prune', () => store.prune(Date.now() + DAY_MS, BATCH));
  await pool.end();
  return costs;
};

const completed = ({ id, revision, fireAtMs }: Timer): TimerUpdate => ({
  timerId: id,
  revision,
  state: 'completed',
  fireAtMs,
  attempt: 0,
});

/** The store as that checkout has it, on its own tables, and one connection. */
const openStore = async (root: string, url: string) => {
  const load = (file: string) =>
    import(pathToFileURL(path.resolve(root, 'server/adapter/postgres', `${file}.ts`)).href);
  const { createPool } = await load('pool');
  const { createDataSource } = await load('schema/data-source');
  const { migrate } = await load('schema/migrate');
  const { PostgresTimerStore: Store } = await load('timer/timer-store');
  const pool: Pool = createPool({ url, max: 1, log: silentLog });
  const dataSource = await createDataSource({ pool, schema: SCHEMA, log: silentLog }).initialize();
  await migrate(dataSource);
  await dataSource.destroy();
  await pool.query('set statement_timeout = 0');
  const { rows } = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relname in ('timer', 'timer_due') and relkind = 'r'`,
  );
  const tables = rows.map(({ name }) => name);
  for (const name of tables) await pool.query(`alter table ${name} set (autovacuum_enabled = off)`);
  const store: PostgresTimerStore = new Store({ pool, schema: SCHEMA });
  return { pool, store, tables };
};
