import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { random } from '../../../server/adapter/machine/random.ts';
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { insertTimers } from '../../../test/support/postgres/timer-database.ts';
import { onCopy, poolOf } from '../../game/game-database.ts';
import { type Herd, moveHerd, seedHerd } from '../../game/seed-herd.ts';
import { type Contender, inUnit, type Row, type Sample } from '../../harness/row.ts';
import { SCHEMA } from '../../harness/stores.ts';

const HANGING = ', one kind hangs';
const HERD = ' beside 100,000 pets due at once';
const settings = [
  { name: 'wheel', processes: 1, isOnRedis: false },
  { name: 'Redis', processes: 1, isOnRedis: true },
  { name: 'Redis, 3 processes', processes: 3, isOnRedis: true },
] as const;
const HANGING_CALLS = 400;
const PETS = { quick: 5_000, full: 100_000 };

/** Whether one kind delays others. */
export const isolation: Row = {
  name: 'isolation',
  about:
    '25 timers a second of two kinds (one fires in Postgres, one calls) for 20 s: from the due time until the effect; alone, with 400 calls of a third kind to a service that never answers, and beside a herd of 100,000 feedings due as the first of them.',
  rounds: 1,
  figures: [...inUnit('ms', 'p50', 'p99', 'max'), { name: 'fired', unit: 'count' }],
  targets: settings.flatMap(({ name }) => [
    { of: `${name}${HANGING}`, figure: 'p99', atMost: 60 },
    { of: `${name}${HANGING}`, figure: 'fired', atLeast: 500 },
  ]),
  prepare: async ({ stores, isQuick }) => {
    const [seeded, withHerd] = [await stores.migrated(), await stores.migrated()];
    const redisUrl = await stores.redisUrl();
    const herd: Herd = { name: 'herd', count: isQuick ? PETS.quick : PETS.full, dueAtMs: Date.now(), everyMs: 0 };
    await seedHerd(withHerd.url, herd);
    const others = isQuick ? { count: 125, spanMs: 5_000 } : { count: 500, spanMs: 20_000 };
    return {
      contenders: settings.flatMap(({ name, processes, isOnRedis }): readonly Contender[] => {
        const plan = { processes, redis: isOnRedis ? redisUrl : undefined, ...others };
        return [
          { name, measure: () => runIsolation(seeded, { ...plan, troubles: NO_TROUBLES }) },
          {
            name: `${name}${HANGING}`,
            measure: () => runIsolation(seeded, { ...plan, troubles: { ...NO_TROUBLES, hanging: HANGING_CALLS } }),
          },
          { name: `${name}${HERD}`, measure: () => runIsolation(withHerd, { ...plan, troubles: NO_TROUBLES, herd }) },
        ];
      }),
    };
  },
};

const LEAD_MS = 5000;
/** Time for the processes to start, and to fill the index. */
const HERD_LEAD_MS = 60_000;
const POLL_EVERY_MS = 200;
const LONGEST_MS = 90_000;
const NOW_MS = '(floor(extract(epoch from clock_timestamp()) * 1000))::bigint';

export interface Troubles {
  /** Calls to a service that never responds. */
  readonly hanging: number;
  /** Timers with a handler that always fails. */
  readonly failing: number;
  /** Timers with a handler that uses its whole time-out. */
  readonly blocking: number;
  /** Rows without an index update, due half a second after they are written, after a quarter of the time. */
  readonly lost: number;
}

export const NO_TROUBLES: Troubles = { hanging: 0, failing: 0, blocking: 0, lost: 0 };

interface IsolationPlan {
  readonly processes: number;
  /** Undefined: on the wheel, for one process. */
  readonly redis: string | undefined;
  /** Timers of troubled kinds, due before the others. */
  readonly troubles: Troubles;
  /** Pets that are due earlier, all at once. */
  readonly herd?: Herd | undefined;
  readonly count: number;
  readonly spanMs: number;
}

/** The lateness of reminders and mails, lost rows apart; and how many troubled timers were tried. */
export const runIsolation = (seeded: TestDatabase, plan: IsolationPlan): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const { processes, redis, troubles, herd, count, spanMs } = plan;
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
      const troubled = (['hanging', 'failing', 'blocking'] as const).flatMap((trouble) =>
        Array.from({ length: troubles[trouble] }, (_, at) => ({
          kind: trouble,
          subject: `order-${at}`,
          owner: `player-${at % 97}`,
          dueAtMs: fromMs - 500,
        })),
      );
      const [first] = nodes;
      first?.send([...troubled, ...others]);
      if (first) await messageOf(first);
      if (Date.now() > fromMs) throw new Error('too slow to start: the timers were due before they were scheduled');
      await sleep(fromMs + spanMs / 4 - Date.now());
      await pool.query(
        insertTimers(
          `select 'reminder', 'lost-' || n, 'player-' || n, ${NOW_MS} + 500 from generate_series(1, ${troubles.lost}) n`,
        ),
      );
      await sleep(fromMs + spanMs - Date.now());
      const late = await latenessOf(pool, { other: count, lost: troubles.lost });
      return { ...late, ...(await petsOf(pool, fromMs)), ...(await triedOf(pool)) };
    } finally {
      await Promise.all(nodes.map(stopNode));
      await pool.end();
    }
  });

const startNode = async (job: object): Promise<ChildProcess> => {
  const node = fork(path.join(import.meta.dirname, '../../processes/isolated-node.ts'), [JSON.stringify(job)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  await messageOf(node);
  return node;
};

const messageOf = async (node: ChildProcess): Promise<void> => {
  const heard = new AbortController();
  const { signal } = heard;
  const ended = once(node, 'exit', { signal }).then(([code, killedBy]) => {
    throw new Error(`a process of the bench ended with ${code ?? killedBy}`);
  });
  await Promise.race([once(node, 'message', { signal }), ended]).finally(() => heard.abort());
};

const stopNode = async (node: ChildProcess): Promise<void> => {
  if (node.exitCode !== null || node.signalCode !== null) return;
  const ended = once(node, 'exit');
  node.disconnect();
  await ended;
};

/**
 * Waits for all timers. Timers that never come are missing in `fired`. With lost rows, `lost` is the lateness of the
 * last of them, and NaN if one never came.
 */
const latenessOf = async (pool: Pool, counts: { readonly other: number; readonly lost: number }): Promise<Sample> => {
  const giveUpAtMs = Date.now() + LONGEST_MS;
  for (;;) {
    const other = await fired(pool, 'other');
    const lost = await fired(pool, 'lost');
    const isAll = other.fired >= counts.other && lost.fired >= counts.lost;
    if (isAll || Date.now() > giveUpAtMs)
      return counts.lost === 0 ? other : { ...other, lost: isAll ? lost.max : Number.NaN };
    await sleep(POLL_EVERY_MS);
  }
};

const fired = async (pool: Pool, subject: 'other' | 'lost') => {
  const { rows } = await pool.query(
    `select count(distinct e.timer)::int as fired, to_jsonb(percentile_disc(array[0.5, 0.99, 1]) within group (order by e.at - t.due_at)) as late
     from effect e join "${SCHEMA}".timer t on t.id = e.timer where t.subject like $1 || '-%'`,
    [subject],
  );
  const [{ fired, late }] = rows as [{ fired: number; late: readonly number[] | null }];
  const [p50 = Number.NaN, p99 = Number.NaN, max = Number.NaN] = late ?? [];
  return { p50, p99, max, fired };
};

/** The lateness of pets that were due from then on, at p99, also of those that wait; NaN if none was due. */
const petsOf = async (pool: Pool, fromMs: number): Promise<Sample> => {
  const { rows } = await pool.query(
    `select percentile_disc(0.99) within group (order by late)::float8 as pets from (
       select read_at - at as late from "${SCHEMA}".event where type = 'feeding-completed' and at >= $1
       union all
       select ${NOW_MS} - due_at from "${SCHEMA}".thing where module = 'pets' and due_at between $1 and ${NOW_MS}) p`,
    [fromMs],
  );
  return { pets: (rows as { readonly pets: number | null }[])[0]?.pets ?? Number.NaN };
};

/** The hanging calls that began, and the timers of the other two kinds that failed at least once. */
export const triedOf = async (pool: Pool): Promise<Sample> => {
  const { rows } = await pool.query(`
    select count(*) filter (where t.kind = 'hanging' and (t.state = 'dead' or d.claims > 0 or d.attempt > 0))::int as hanging,
      count(*) filter (where t.kind = 'failing' and (t.state = 'dead' or d.attempt > 0))::int as failing,
      count(*) filter (where t.kind = 'blocking' and (t.state = 'dead' or d.attempt > 0))::int as blocking
    from "${SCHEMA}".timer t left join "${SCHEMA}".timer_due d using (id)`);
  return (rows as Sample[])[0] ?? {};
};
