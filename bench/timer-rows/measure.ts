import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import { query } from '../../server/adapter/postgres/statement.ts';
import type { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import type { IndexChanges } from '../../server/timer/model/index-entry.ts';
import type { Timer } from '../../server/timer/model/timer.ts';
import type { TimerUpdate, Tx } from '../../server/timer/model/timer-store.ts';
import { silentLog } from '../../test/support/log/silent-log.ts';
import { cpuMicrosOf } from '../harness/cpu.ts';
import { SCHEMA } from '../harness/stores.ts';

const BATCH = 64;

export type Costs = Readonly<Record<string, number>>;

/** A checkout, an empty database, and the number of timers. */
interface Measured {
  readonly root: string;
  readonly url: string;
  readonly count: number;
}

/** Times phases of a store: each phase is `work` in batches of 64. */
interface Metered {
  readonly store: PostgresTimerStore;
  readonly pool: Pool;
  /** That checkout's statements of the homes. */
  readonly homeSql: Readonly<Record<string, string>>;
  readonly phase: (name: string, work: (from: number) => Promise<unknown>) => Promise<void>;
  readonly analyze: () => Promise<unknown>;
}

/**
 * Postgres' CPU per row in microseconds, for the store of the checkout `root`, with one backend and batches of 64.
 * After each statement the same backend vacuums its tables, so that cleaning up counts; autovacuum is off.
 */
const metered = async ({ root, url, count }: Measured, work: (on: Metered) => Promise<void>): Promise<Costs> => {
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

/** That checkout's store, on its own tables, with one connection. */
const openStore = async (root: string, url: string) => {
  const load = (file: string) =>
    import(pathToFileURL(path.resolve(root, 'server/adapter/postgres', `${file}.ts`)).href);
  const { createPool } = await load('pool');
  const { createDataSource } = await load('schema/data-source');
  const { migrate } = await load('schema/migrate');
  const { PostgresTimerStore: Store } = await load('timer/timer-store');
  // Older checkouts have stores that take the pool and the schema from any object.
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

const DAY_MS = 86_400_000;
const payload = { order: 'a5b2c7', items: [{ name: 'dog-food', count: 3 }], shop: 'north' };
const KIND = 'bench';

/** The life of an own kind's timers, statement by statement. */
export const measureStore = (measured: Measured): Promise<Costs> =>
  metered(measured, async ({ store, phase, analyze }) => {
    const { count } = measured;
    const batch = <Value>(from: number, value: (at: number) => Value): Value[] =>
      Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => value(from + at));
    const startMs = Date.now() + DAY_MS;
    // Far from its neighbours in every index, like players' timers.
    const dueAtMs = (at: number): number => startMs + ((at * 7_919) % count) * 1000;
    const key = (at: number) => ({ kind: KIND, subject: `subject-${(at * 104_729) % count}` });
    const timers: Timer[] = [];
    await phase('schedule', async (from) => {
      const wanted = batch(from, (at) => ({ ...key(at), owner: `player-${at % 5000}`, dueAtMs: dueAtMs(at), payload }));
      timers.push(...(await store.schedule(wanted)).flatMap((one) => one?.timer ?? []));
    });
    const ids = timers.map(({ id }) => id);
    const byId = new Map(timers.map((timer) => [timer.id, timer]));
    await analyze();
    const id = (at: number): string => ids[(at * 15_485_863) % count] ?? '';
    const changes = (from: number, change: (at: number) => Parameters<PostgresTimerStore['change']>[0][number]) =>
      store.change(batch(from, change));
    await phase('earlier, by id', (from) =>
      changes(from, (at) => ({ target: { timerId: id(at) }, change: 'shift', byMs: -7_200_000 })),
    );
    await phase('later, by key', (from) =>
      changes(from, (at) => ({ target: key(at), change: 'shift', byMs: 3_600_000 })),
    );
    await phase('read', (from) =>
      store.read(batch(from, (at) => ({ timerId: id(at), owner: byId.get(id(at))?.owner ?? '' }))),
    );
    const seen = (at: number): Timer => {
      const timer = byId.get(id(at));
      if (timer === undefined) throw new Error(`no timer ${id(at)}`);
      return { ...timer, revision: 3 };
    };
    const fire = (from: number, updates: (timers: readonly Timer[]) => readonly TimerUpdate[]) =>
      store.fire(batch(from, seen), async (_tx, { timers: locked }) => updates(locked));
    await phase('lock', (from) => fire(from, () => []));
    await phase('lock and finish', (from) => fire(from, (locked) => locked.map(completed)));
    await phase('prune', () =>
      store.prune({ fromMs: 0, kinds: [], isOfOthers: true, beforeMs: Date.now() + DAY_MS, limit: BATCH, most: BATCH }),
    );
  });

const completed = ({ id, revision, fireAtMs }: Timer): TimerUpdate => ({
  timerId: id,
  revision,
  state: 'completed',
  fireAtMs,
  attempt: 0,
});

const HOUR_MS = 3_600_000;
const STATE = JSON.stringify({ xp: 40, species: 'dog', feeding: { food: 'dog-food', workMs: 3_600_000, sinceMs: 1 } });

/** A thing's row, and in older checkouts its timer's row. */
interface Due {
  readonly kind: string;
  readonly subject: string;
  readonly owner: string;
  readonly dueAtMs: number;
}

/** Older stores have things' timers in rows of their own. */
interface OlderStore {
  changeDerived?(tx: Tx, changes: object, nowMs: number): Promise<IndexChanges>;
}

/**
 * The cost of things that complete and are due again: the thing's row, which has the timer; in older checkouts also the
 * timer's row.
 */
export const measureChain = (measured: Measured): Promise<Costs> =>
  metered(measured, async ({ store, homeSql, phase, analyze }) => {
    const { count } = measured;
    const nowMs = Date.now();
    const older: OlderStore = store as object;
    const things = (from: number, turn: number): readonly Due[] =>
      Array.from({ length: Math.min(BATCH, count - from) }, (_, place) => {
        // In another order than that of their begin, as players' timers come due.
        const at = ((from + place) * 15_485_863) % count;
        const owner = `player-${at}`;
        const dueAtMs = nowMs + turn * HOUR_MS + ((at * 7919) % count) * 100;
        return { kind: 'bench', subject: `${owner}~pet`, owner, dueAtMs };
      });
    const save = (name: 'addThings' | 'saveThings', next: readonly Due[]) =>
      store.transaction(async (tx) => {
        const text = homeSql[name] ?? homeSql.saveThings ?? '';
        await query(tx, { name: `bench.${name}`, text, values: columnsOf(next, text, nowMs) });
        await older.changeDerived?.(tx, { put: next }, nowMs);
      });
    // On an empty table the planner chooses the wrong index.
    await save('addThings', things(0, 1));
    await analyze();
    await phase('begin', (from) =>
      from === 0 ? save('saveThings', things(0, 2)) : save('addThings', things(from, 1)),
    );
    await analyze();
    await phase('the next one', (from) => save('saveThings', things(from, 3)));
    await phase('and the next', (from) => save('saveThings', things(from, 4)));
  });

/** One array per column; the last is the time of all rows, if the checkout has that. */
const columnsOf = (things: readonly Due[], text: string, nowMs: number): readonly unknown[] => [
  things.map(({ owner }) => owner),
  things.map(() => 'bench'),
  things.map(() => 'pet'),
  things.map(() => 1),
  things.map(() => STATE),
  things.map(() => 'Rex'),
  things.map(({ dueAtMs }) => dueAtMs),
  ...(text.includes('$8') ? [nowMs] : []),
];
