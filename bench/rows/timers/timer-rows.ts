import { Database } from '../../../server/adapter/postgres/database.ts';
import { homeSql } from '../../../server/adapter/postgres/home/home-sql.ts';
import { query } from '../../../server/adapter/postgres/statement.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { TimerUpdate } from '../../../server/timer/model/timer-store.ts';
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { onCopy, poolOf } from '../../game/game-database.ts';
import { cpuMicrosOf } from '../../harness/cpu.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { SCHEMA } from '../../harness/stores.ts';

const BATCH = 64;
const COUNTS = { quick: 2_000, full: 60_000 };

/** The cost of timers' rows; beside another design of them with `--against`. */
export const timerRows: Row = {
  name: 'timer-rows',
  about: `CPU of Postgres for each row, by the statements of the stores alone, in batches of ${BATCH} on one backend, which also cleans up after each phase (autovacuum is off): the life of ${COUNTS.full.toLocaleString('en')} timers of an own kind, and as many things that complete and are due again.`,
  rounds: 3,
  figures: [
    ...inUnit('µs', 'schedule', 'earlier, by id', 'later, by key', 'read', 'lock', 'lock and finish', 'prune'),
    ...inUnit('µs', 'begin', 'the next one', 'and the next'),
  ],
  targets: [],
  prepare: async ({ stores, isQuick }) => {
    const measured = { seeded: await stores.migrated(), count: COUNTS[isQuick ? 'quick' : 'full'] };
    return {
      contenders: [
        { name: 'timers of an own kind', measure: () => lifeOfTimers(measured) },
        { name: 'things that are due again', measure: () => chainOfThings(measured) },
      ],
    };
  },
};

/** An empty database, and the number of timers. */
interface Measured {
  readonly seeded: TestDatabase;
  readonly count: number;
}

interface Metered {
  readonly store: PostgresTimerStore;
  readonly count: number;
  /** Times `work` on all timers, in batches. */
  readonly phase: (name: string, work: (from: number) => Promise<unknown>) => Promise<void>;
  readonly analyze: () => Promise<unknown>;
}

/** Microseconds of CPU per row: of one backend, which vacuums its tables after each phase. */
const metered = ({ seeded, count }: Measured, work: (on: Metered) => Promise<void>): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const pool = poolOf(url, 1);
    await pool.query('set statement_timeout = 0');
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    const cpu = (): number => cpuMicrosOf(rows[0]?.pid ?? 0);
    const tables = ['timer', 'timer_due', 'thing'].map((name) => `"${SCHEMA}".${name}`);
    for (const table of tables) await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
    const costs: Record<string, number> = {};
    await work({
      store: new PostgresTimerStore(new Database({ pool, schema: SCHEMA })),
      count,
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
  });

const DAY_MS = 86_400_000;
const payload = { order: 'a5b2c7', items: [{ name: 'dog-food', count: 3 }], shop: 'north' };
const KIND = 'bench';

/** The life of an own kind's timers, statement by statement. */
const lifeOfTimers = (measured: Measured): Promise<Sample> =>
  metered(measured, async ({ store, phase, analyze, count }) => {
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

interface Due {
  readonly owner: string;
  readonly dueAtMs: number;
}

/** Things that complete and are due again: a thing's row has its timer. */
const chainOfThings = (measured: Measured): Promise<Sample> =>
  metered(measured, async ({ store, phase, analyze, count }) => {
    const nowMs = Date.now();
    const sql = homeSql(SCHEMA);
    const things = (from: number, turn: number): readonly Due[] =>
      Array.from({ length: Math.min(BATCH, count - from) }, (_, place) => {
        // In another order than that of their begin, as players' timers come due.
        const at = ((from + place) * 15_485_863) % count;
        return { owner: `player-${at}`, dueAtMs: nowMs + turn * HOUR_MS + ((at * 7919) % count) * 100 };
      });
    const save = (name: 'addThings' | 'saveThings', next: readonly Due[]) =>
      store.transaction((tx) => query(tx, { name: `bench.${name}`, text: sql[name], values: columnsOf(next, nowMs) }));
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

/** One array per column; the last is the time of all rows. */
const columnsOf = (things: readonly Due[], nowMs: number): readonly unknown[] => [
  things.map(({ owner }) => owner),
  ...['bench', 'pet', 1, STATE, 'Rex'].map((value) => things.map(() => value)),
  things.map(({ dueAtMs }) => dueAtMs),
  nowMs,
];
