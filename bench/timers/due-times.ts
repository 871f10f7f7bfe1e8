import type { Pool } from 'pg';
import { randomFrom } from '../../shared/random-from.ts';
import { insertTimers } from '../../test/support/postgres/timer-database.ts';
import { SCHEMA } from '../harness/stores.ts';

export interface Plan {
  readonly count: number;
  /** The time over which the timers are spread evenly. */
  readonly spanMs: number;
  /** Time to schedule them before the first is due. Default 1.5 s. */
  readonly leadMs?: number;
}

export interface DueTimes {
  /** In random order. */
  readonly atMs: readonly number[];
  /** The first fifth warms compilers and caches. */
  readonly countsFromMs: number;
}

const FAR_MS = 4 * 3_600_000;

/** Beginning soon, one after another. */
export const dueTimes = ({ count, spanMs, leadMs = 1_500 }: Plan): DueTimes => {
  const random = randomFrom(7);
  const startMs = Date.now() + leadMs;
  const atMs = Array.from({ length: count }, (_, at) => Math.round(startMs + (at * spanMs) / count))
    .map((dueAtMs) => ({ dueAtMs, place: random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ dueAtMs }) => dueAtMs);
  return { atMs, countsFromMs: startMs + spanMs / 5 };
};

/** The due times of timers that only wait: in four to eight hours. */
export const farTimes = (count: number): readonly number[] => {
  const random = randomFrom(8);
  const startMs = Date.now() + FAR_MS;
  return Array.from({ length: count }, () => startMs + Math.floor(random() * FAR_MS));
};

/** Ten timers per owner, like a player with some pets. */
export const ownerOf = (timerId: number): string => `owner-${Math.floor(timerId / 10)}`;

const ROWS_A_STATEMENT = 20_000;

/** Fills the table with waiting timers, and makes a table for effects. */
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
