import type { Pool } from 'pg';
import { insertTimers } from '../../test/support/postgres/timer-rows.ts';
import { SCHEMA } from '../harness/migrated.ts';
import { farTimes, ownerOf } from './due-times.ts';

const ROWS_A_STATEMENT = 20_000;

/** Fills the table with timers that wait, and makes room for effects. */
export const seedPending = async (pool: Pool, pending: number): Promise<void> => {
  await pool.query('create table effect (timer bigint primary key, at bigint not null)');
  const times = farTimes(pending);
  for (let from = 0; from < pending; from += ROWS_A_STATEMENT) {
    const part = times.slice(from, from + ROWS_A_STATEMENT);
    await pool.query(
      insertTimers(`select 'bench', * from unnest($1::text[], $2::text[], $3::bigint[]) as w(subject, owner, due_at)`),
      [part.map((_, at) => `far-${from + at}`), part.map((_, at) => ownerOf(from + at)), part],
    );
  }
  await pool.query(`vacuum analyze "${SCHEMA}".timer, "${SCHEMA}".timer_due`);
  await pool.query('checkpoint');
};
