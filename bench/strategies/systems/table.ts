import { Pool } from 'pg';
import type { Item, OpenStrategy } from './strategy.ts';

/** Waiting. */
const WAITING = 1;
/** Done. The row stays, as in a table of orders. */
const DONE = 10;

/** A table of tasks, with an index by due time or without. */
const openTable = async (postgresUrl: string, isIndexed: boolean) => {
  const pool = new Pool({ connectionString: postgresUrl, max: 4 });
  await pool.query('create table task (id bigint primary key, due_at bigint not null, status smallint not null)');
  if (isIndexed) await pool.query(`create index on task (due_at) where status = ${WAITING}`);
  const columns = (items: readonly Item[]) => [items.map(({ id }) => id), items.map(({ dueAtMs }) => dueAtMs)];
  return {
    pool,
    schedule: async (items: readonly Item[]): Promise<void> => {
      await pool.query({
        name: 'schedule',
        text: `insert into task select id, due_at, ${WAITING} from unnest($1::bigint[], $2::bigint[]) as w(id, due_at)`,
        values: columns(items),
      });
    },
    move: async (moves: readonly Item[]): Promise<void> => {
      await pool.query({
        name: 'move',
        text: `update task set due_at = w.due_at from unnest($1::bigint[], $2::bigint[]) as w(id, due_at)
               where task.id = w.id and status = ${WAITING}`,
        values: columns(moves),
      });
    },
  };
};

/** The next multiple of the period, as cron counts. */
export const untilNext = (nowMs: number, periodMs: number): number => periodMs - (nowMs % periodMs);

/** A cron command that searches the whole table for due timers; without an index it reads every row. */
export const tableScan =
  (periodMs: number, isIndexed: boolean): OpenStrategy =>
  async ({ clock, postgresUrl, hand }) => {
    const { pool, schedule, move } = await openTable(postgresUrl, isIndexed);
    const turn = async (): Promise<number> => {
      const { rows } = await pool.query<{ id: string }>({
        name: 'take-due',
        text: `update task set status = ${DONE} where status = ${WAITING} and due_at <= $1 returning id`,
        values: [clock.nowMs()],
      });
      hand(rows.map(({ id }) => Number(id)));
      return untilNext(clock.nowMs(), periodMs);
    };
    return { schedule, move, loops: [turn], close: () => pool.end() };
  };

const PAGE = 1_000;
const PAUSE_MS = 1_000;

/** A daemon that reads all waiting timers, page by page, picks due ones, and begins again a second after the end. */
export const pagedScan: OpenStrategy = async ({ clock, postgresUrl, hand }) => {
  const { pool, schedule, move } = await openTable(postgresUrl, false);
  let lastId = -1;
  const turn = async (): Promise<number> => {
    const { rows } = await pool.query<{ id: string; due_at: string }>({
      name: 'page',
      text: `select id, due_at from task where status = ${WAITING} and id > $1 order by id limit ${PAGE}`,
      values: [lastId],
    });
    const nowMs = clock.nowMs();
    const due = rows.filter((row) => Number(row.due_at) <= nowMs).map(({ id }) => Number(id));
    if (due.length > 0) {
      // A timer that was moved since the page was read is not due any more.
      const taken = await pool.query<{ id: string }>({
        name: 'take',
        text: `update task set status = ${DONE}
               where id = any($1::bigint[]) and status = ${WAITING} and due_at <= $2 returning id`,
        values: [due, nowMs],
      });
      hand(taken.rows.map(({ id }) => Number(id)));
    }
    lastId = rows.length === PAGE ? Number(rows.at(-1)?.id) : -1;
    return lastId === -1 ? PAUSE_MS : 0;
  };
  return { schedule, move, loops: [turn], close: () => pool.end() };
};
