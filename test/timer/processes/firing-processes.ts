import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Pool } from 'pg';
import { inject } from 'vitest';
import { inherited } from '../../../examples/support/server-process.ts';
import { createTimers } from '../../../server/timers.ts';
import { until } from '../../chaos/play/within.ts';
import { silentLog } from '../../support/log/logs.ts';
import { migratedDatabase } from '../../support/postgres/home-database.ts';

const program = path.join(import.meta.dirname, 'timer-process.ts');
const BULK = 2_500;
const READY_MS = 30_000;

export interface Options {
  readonly redis: string;
  /** One process for each; what it has in its environment beside. */
  readonly environments: readonly Readonly<Record<string, string>>[];
}

/** The outcome of all timers; times are of Postgres' clock. */
export interface Judged {
  readonly effects: number;
  /** That had an effect. */
  readonly timers: number;
  readonly unfired: number;
  /** Effects of transactions that began before the timer's last due time. */
  readonly early: number;
  readonly mostLateMs: number;
}

interface Firing {
  readonly child: ChildProcess;
  /** Its clock when it was ready, beside ours. */
  readonly aheadMs: number;
}

/** Real processes that fire, and this one, which writes timers and fires none; all on one database and one Redis. */
export const firingProcesses = async ({ redis, environments }: Options) => {
  const database = await migratedDatabase(inject('postgresUrl'));
  const pool = new Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  await pool.query('create table effect (timer bigint, at bigint)');
  const start = async (env: Readonly<Record<string, string>>): Promise<Firing> => {
    const child = fork(program, [JSON.stringify({ url: database.url, redis })], { env: { ...inherited(), ...env } });
    const gone = once(child, 'exit').then(([code]) => {
      throw new Error(`it ended with ${code} before it was ready`);
    });
    const [{ atMs }] = await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(READY_MS) }), gone]);
    gone.catch(() => undefined);
    return { child, aheadMs: atMs - Date.now() };
  };
  const nodes = await Promise.all(environments.map(start));
  const writer = createTimers({ pool, redis, fires: false, kinds: [], log: silentLog });
  await writer.lifecycle.boot();
  let scheduled = 0;

  return {
    pool,
    nodes,
    timers: writer.timers,
    nowMs: writer.now,
    /** So many more, due at `dueAtMs(0)` and on. */
    schedule: async (count: number, dueAtMs: (at: number) => number): Promise<void> => {
      for (let from = 0; from < count; from += BULK) {
        await writer.timers.schedule(
          Array.from({ length: Math.min(BULK, count - from) }, (_, at) => ({
            kind: 'order',
            subject: `order-${scheduled + at}`,
            owner: `player-${(scheduled + at) % 10_000}`,
            dueAtMs: Math.floor(dueAtMs(from + at)),
          })),
        );
        scheduled += Math.min(BULK, count - from);
      }
    },
    /** Until so many effects are there. */
    fired: (count: number, limitMs: number): Promise<void> =>
      until(`${count} effects`, limitMs, async () => {
        const { rows } = await pool.query('select count(*)::int as count from effect');
        return rows[0].count >= count;
      }),
    judge: async (): Promise<Judged> => {
      const { rows } = await pool.query(`select count(*)::int as effects, count(distinct e.timer)::int as timers,
          count(*) filter (where e.at < t.due_at)::int as early, max(e.at - t.due_at)::int as "mostLateMs",
          (select count(*)::int from kibble.timer where state = 'scheduled') as unfired
        from effect e join kibble.timer t on t.id = e.timer`);
      return rows[0];
    },
    stop: async (): Promise<void> => {
      await writer.lifecycle.shutdown();
      for (const { child } of nodes) {
        const ended = once(child, 'exit');
        child.disconnect();
        await ended;
      }
      await pool.end();
      await database.drop();
    },
  };
};
export type FiringProcesses = Awaited<ReturnType<typeof firingProcesses>>;
