import { Pool } from 'pg';
import type { Item } from './strategy.ts';

/** Waiting. */
export const WAITING = 1;
/** Done. The row stays, as it does where the table is that of the orders themselves. */
export const DONE = 10;

/** A table of tasks, with an index by due time or without. */
export const openTable = async (postgresUrl: string, isIndexed: boolean) => {
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

/** The next instant that is a multiple of the period, as cron counts. */
export const untilNext = (nowMs: number, periodMs: number): number => periodMs - (nowMs % periodMs);
