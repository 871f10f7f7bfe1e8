import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { random } from '../../server/adapter/machine/random.ts';
import type { Database } from '../../test/support/postgres/postgres-server.ts';
import { onCopy, poolOf } from '../game/game-database.ts';
import { SCHEMA } from '../harness/migrated.ts';
import type { Sample } from '../harness/row.ts';
import { type Herd, moveHerd } from '../herd/seed-herd.ts';

const HANGING = 400;
const LEAD_MS = 5000;
/** Time for the processes to start, and to fill the index. */
const HERD_LEAD_MS = 60_000;
const LOOK_EVERY_MS = 200;
const LONGEST_MS = 90_000;

export interface IsolationPlan {
  readonly processes: number;
  /** Undefined: on the wheel, which is for one process. */
  readonly redis: string | undefined;
  /** Whether 400 calls to a service that hangs are due before. */
  readonly isOneHanging: boolean;
  /** Pets that are due before, all at once. */
  readonly herd?: Herd | undefined;
  readonly count: number;
  readonly spanMs: number;
}

/** How late reminders and mails are beside it. */
export const runIsolation = (seeded: Database, plan: IsolationPlan): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const { processes, redis, isOneHanging, herd, count, spanMs } = plan;
    const pool = poolOf(url, 1);
    await pool.query('create table effect (timer bigint, at bigint)');
    const herdAtMs = Date.now() + HERD_LEAD_MS;
    if (herd) await moveHerd(url, herd, herdAtMs);
    const job = { url, redis, prefix: random.uniqueName() };
    const nodes = await Promise.all(Array.from({ length: processes }, () => startNode(job)));
    try {
      const fromMs = herd ? herdAtMs : Date.now() + LEAD_MS;
      const others = Array.from({ length: count }, (_, at) => ({
        kind: at % 2 === 0 ? 'reminder' : 'mail',
        subject: `other-${at}`,
        owner: `player-${at % 97}`,
        dueAtMs: fromMs + Math.floor((at * spanMs) / count),
      }));
      const hanging = Array.from({ length: isOneHanging ? HANGING : 0 }, (_, at) => ({
        kind: 'refund',
        subject: `order-${at}`,
        owner: `player-${at % 97}`,
        dueAtMs: fromMs - 500,
      }));
      const [first] = nodes;
      first?.send([...hanging, ...others]);
      if (first) await once(first, 'message');
      if (Date.now() > fromMs) throw new Error('too slow to start: the timers were due before they were scheduled');
      await sleep(fromMs + spanMs - Date.now());
      return await latenessOf(pool, count);
    } finally {
      await Promise.all(nodes.map(stopNode));
      await pool.end();
    }
  });

const startNode = async (job: object): Promise<ChildProcess> => {
  const node = fork(path.join(import.meta.dirname, 'isolated-node.ts'), [JSON.stringify(job)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  await Promise.race([
    once(node, 'message'),
    once(node, 'exit').then(([code]) => Promise.reject(new Error(`a process of the bench ended with ${code}`))),
  ]);
  return node;
};

const stopNode = async (node: ChildProcess): Promise<void> => {
  const ended = once(node, 'exit');
  node.disconnect();
  await ended;
};

/** Waits for all. Those that never come are missing in `fired`. */
const latenessOf = async (pool: Pool, count: number): Promise<Sample> => {
  const giveUpAtMs = Date.now() + LONGEST_MS;
  for (;;) {
    const { rows } = await pool.query(`
      select count(*)::int as fired, percentile_disc(array[0.5, 0.99, 1]) within group (order by e.at - t.due_at) as late
      from effect e join "${SCHEMA}".timer t on t.id = e.timer`);
    const [{ fired, late }] = rows as [{ fired: number; late: readonly (string | number)[] | null }];
    if (fired >= count || Date.now() > giveUpAtMs) {
      const [p50 = Number.NaN, p99 = Number.NaN, max = Number.NaN] = (late ?? []).map(Number);
      return { p50, p99, max, fired };
    }
    await sleep(LOOK_EVERY_MS);
  }
};
