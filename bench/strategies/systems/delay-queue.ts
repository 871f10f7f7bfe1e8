import { Redis } from 'ioredis';
import { Pool } from 'pg';
import type { OpenStrategy } from './strategy.ts';

const PERIOD_MS = 2_000;
const DAY_MS = 86_400_000;
const KEY = 'delay-queue';
const LIMIT = 1_000;
/** The states of a row: waits, succeeded. */
const [WAITS, SUCCEEDED] = [1, 10];

/**
 * A table of tasks, and a ZSET with their ids by due time. Every two seconds a loop takes the ids of the last day, runs
 * those with a waiting row, and writes the result. A row may be cancelled, but not moved.
 */
export const delayQueue: OpenStrategy = async ({ clock, redisUrl, postgresUrl, hand }) => {
  const pool = new Pool({ connectionString: postgresUrl, max: 4 });
  const redis = new Redis(redisUrl);
  await pool.query(`create table delay_queue (id bigint primary key, params text not null, outer_key text not null,
    tries smallint not null, status smallint not null, result text, due_at bigint not null)`);
  await pool.query('create index on delay_queue (outer_key)');
  const runDue = async (): Promise<boolean> => {
    const nowMs = clock.nowMs();
    const ids = await redis.zrangebyscore(KEY, nowMs - DAY_MS, nowMs, 'LIMIT', 0, LIMIT);
    if (ids.length === 0) return false;
    const { rows } = await pool.query<{ id: string }>({
      name: 'still-waiting',
      text: `select id, params from delay_queue where id = any($1::bigint[]) and status = ${WAITS}`,
      values: [ids],
    });
    hand(rows.map(({ id }) => Number(id)));
    await pool.query({
      name: 'succeeded',
      text: `update delay_queue set status = ${SUCCEEDED}, result = 'ok', tries = 1 where id = any($1::bigint[])`,
      values: [ids],
    });
    await redis.zrem(KEY, ...ids);
    return ids.length === LIMIT;
  };
  const turn = async (): Promise<number> => ((await runDue()) ? 0 : PERIOD_MS);
  return {
    schedule: async (items) => {
      await pool.query({
        name: 'queue',
        text: `insert into delay_queue select id, 'Order::cancel', 'order-' || id, 0, ${WAITS}, null, due_at
               from unnest($1::bigint[], $2::bigint[]) as w(id, due_at)`,
        values: [items.map(({ id }) => id), items.map(({ dueAtMs }) => dueAtMs)],
      });
      await redis.zadd(KEY, ...items.flatMap(({ id, dueAtMs }) => [dueAtMs, id]));
    },
    loops: [turn],
    close: async () => {
      redis.disconnect();
      await pool.end();
    },
  };
};
