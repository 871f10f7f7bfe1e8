import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { insertTimers } from '../../../test/support/postgres/timer-database.ts';
import { onCopy, poolOf } from '../../game/game-database.ts';
import { startGame } from '../../game/running-game.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { emptyRedis, SCHEMA, type Stores } from '../../harness/stores.ts';
import { seedPending } from '../../timers/due-times.ts';
import { MANY, MANY_TEXT } from '../../timers/many.ts';

const ON_WHEEL = `${MANY_TEXT} on the wheel`;
const ON_REDIS = `${MANY_TEXT} on a Redis that has lost them`;
const COUNTS = { quick: [2_000, 20_000], full: [100_000, MANY] } as const;
/** One in a hundred is due in the next minute. */
const NEAR_SHARE = 0.01;
/** One in ten of those belongs to one player, and is watched. */
const WATCHED = 'watched';
const WATCHED_EVERY = 10;
/** Within the minute. A timer that is not armed by then has failed; none fires before. */
const [NEAR_FROM_MS, NEAR_TO_MS] = [50_000, 60_000];
const ALL_AT_MOST_MS = 180_000;
const POLL_EVERY_MS = 10;

/** How long after the start timers are not armed yet. */
export const armed: Row = {
  name: 'start-armed',
  about:
    'The index is empty when a process starts: always on the wheel, and on a Redis that has lost everything. From when the process is ready (it serves) until the index has all timers that are due in the next minute, one in a hundred, and until it has all that wait.',
  rounds: 3,
  figures: inUnit('s', 'next minute', 'all'),
  targets: [ON_WHEEL, ON_REDIS].flatMap((of) => [
    { of, figure: 'next minute', atMost: 2 },
    { of, figure: 'all', atMost: 15 },
  ]),
  prepare: async ({ stores, isQuick }) => {
    const redisUrl = await stores.redisUrl();
    const [few, many] = COUNTS[isQuick ? 'quick' : 'full'];
    const [small, large] = [await seed(stores, few), await seed(stores, many)];
    return {
      contenders: [
        { name: '100,000 on the wheel', measure: () => timeToArm(small, few) },
        { name: ON_WHEEL, measure: () => timeToArm(large, many) },
        { name: ON_REDIS, measure: () => timeToArm(large, many, redisUrl) },
      ],
    };
  },
};

const seed = async (stores: Stores, count: number): Promise<TestDatabase> => {
  const database = await stores.migrated();
  const pool = poolOf(database.url, 1);
  await pool.query('set statement_timeout = 0');
  const near = count * NEAR_SHARE;
  await seedPending(pool, count - near);
  const owner = `case when n % ${WATCHED_EVERY} = 0 then '${WATCHED}' else 'near-' || n end`;
  await pool.query(
    insertTimers(`select 'bench', 'near-' || n, ${owner}, ${Date.now()} from generate_series(0, ${near - 1}) n`),
  );
  await pool.query(`vacuum analyze "${SCHEMA}".timer_due`);
  await pool.end();
  return database;
};

/** Due again in the next minute, in random order. */
const bringNear = async (pool: Pool): Promise<void> => {
  const dueAt = `${Date.now()} + ${NEAR_FROM_MS} + (random() * ${NEAR_TO_MS - NEAR_FROM_MS})::bigint`;
  await pool.query(
    `with n as (select id, ${dueAt} as at from "${SCHEMA}".timer_due where owner = '${WATCHED}' or owner like 'near-%')
     update "${SCHEMA}".timer_due d set due_at = n.at, fire_at = n.at from n where n.id = d.id`,
  );
};

const timeToArm = (seeded: TestDatabase, count: number, redisUrl?: string): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const pool = poolOf(url, 1);
    await bringNear(pool);
    await pool.end();
    if (redisUrl !== undefined) await emptyRedis(redisUrl);
    const { kibble, close } = await startGame(url, redisUrl);
    const readyAtMs = performance.now();
    const watched = (count * NEAR_SHARE) / WATCHED_EVERY;
    const { index } = kibble;
    const nextMinute = await until(
      readyAtMs,
      NEAR_FROM_MS,
      async () => (await index.ofOwner(WATCHED))?.length === watched,
    );
    const all = await until(readyAtMs, ALL_AT_MOST_MS, async () => (await index.state()).isWhole);
    await close();
    return { 'next minute': nextMinute, all };
  });

/** The seconds from `fromMs` until it became true. Throws after `atMostMs`. */
const until = async (fromMs: number, atMostMs: number, isTrue: () => Promise<boolean>): Promise<number> => {
  while (!(await isTrue())) {
    if (performance.now() - fromMs > atMostMs)
      throw new Error(`timers were not armed ${atMostMs / 1_000} s after the start`);
    await sleep(POLL_EVERY_MS);
  }
  return (performance.now() - fromMs) / 1_000;
};
