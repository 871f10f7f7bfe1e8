import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { playCards } from '../../game/card-load.ts';
import { onCopy, poolOf, seedGame } from '../../game/game-database.ts';
import { inLanes, microsACall } from '../../harness/load.ts';
import { redisBytes } from '../../harness/meter.ts';
import type { Contender, Figure, Prepared, Row, Sample } from '../../harness/row.ts';
import { SCHEMA, type Stores } from '../../harness/stores.ts';
import { openRedisIndex, openWheel } from '../../timers/due-index.ts';
import { farTimes, ownerOf, seedPending } from '../../timers/due-times.ts';
import { KIND, openEngine } from '../../timers/open-engine.ts';

const WHEEL = 'on the wheel';
const REDIS = 'on Redis';
const CARDS = 'cards, by players';
const names: Readonly<Record<number, string>> = { 1000: '1 k', 10000: '10 k', 100000: '100 k', 1000000: '1 M' };
const POOL_SIZE = 10;
const operations = ['schedule', 'reschedule', 'cancel'] as const;
type Operation = (typeof operations)[number];
const contenders = [WHEEL, REDIS].flatMap((where) => operations.map((operation) => `${operation} ${where}`));

/** Whether the cost of a call depends on the amount of data. */
export const growth: Row = {
  name: 'growth',
  about:
    'Microseconds a call: timers of an own kind, one a call, 64 in flight, rows and index committed and told, while 10 k, 100 k and 1 M others wait; cards of 1 k, 10 k and 100 k players, 256 in flight. "grows" is the slope of log(time) over log(size), made in each round: 0 is not at all, 1 as the size does. Store: bytes of Postgres (table and indexes) and of Redis for each waiting timer.',
  rounds: 3,
  figures: [
    ...Object.values(names).map((name): Figure => ({ name, unit: 'µs' })),
    { name: 'grows', unit: 'exponent' },
    { name: 'store at 10 k', unit: 'B' },
    { name: 'store at 1 M', unit: 'B' },
  ],
  targets: [...contenders, CARDS].map((of) => ({ of, figure: 'grows', atMost: 0.1 })),
  prepare: async ({ stores, isQuick }) =>
    isQuick
      ? prepare(stores, { pending: [10_000, 20_000], players: [1_000, 2_000], calls: 2_000 })
      : prepare(stores, full),
};

interface Sizes {
  readonly pending: readonly number[];
  readonly players: readonly number[];
  readonly calls: number;
}

const full: Sizes = { pending: [10_000, 100_000, 1_000_000], players: [1_000, 10_000, 100_000], calls: 15_000 };

const prepare = async (stores: Stores, { pending, players, calls }: Sizes): Promise<Prepared> => {
  const redisUrl = await stores.redisUrl();
  const waiting = new Map<number, TestDatabase>();
  for (const size of pending) waiting.set(size, await seedWaiting(stores, size));
  const games = new Map<number, TestDatabase>();
  for (const size of players) games.set(size, await seedGame(stores, size));
  const times = { warmUpMs: 1_000, lastsMs: calls > 10_000 ? 3_000 : 500 };
  const load = { ...times, inFlight: 256, batchSize: 256, connections: 4 };
  return {
    contenders: [
      ...together(contenders.slice(0, 3), () => grown(waiting, WHEEL, (pool) => onWheel(pool, calls))),
      ...together(contenders.slice(3), () => grown(waiting, REDIS, (pool) => onRedis(pool, redisUrl, calls))),
      {
        name: CARDS,
        measure: async () => {
          const took = new Map<number, number>();
          for (const [size, seeded] of games) {
            took.set(size, 1_000_000 / (await playCards(seeded, { ...load, players: size })).perSec);
          }
          return sampleOf(took);
        },
      },
    ],
  };
};

const seedWaiting = async (stores: Stores, size: number): Promise<TestDatabase> => {
  const database = await stores.migrated();
  const pool = poolOf(database.url, 1);
  await seedPending(pool, size);
  await pool.end();
  return database;
};

/** The costs of one index at one size. */
interface Took {
  readonly calls: Awaited<ReturnType<typeof timeCalls>>;
  readonly storeBytes: number;
}

const grown = async (
  waiting: ReadonlyMap<number, TestDatabase>,
  where: string,
  measure: (pool: Pool) => Promise<Took>,
): Promise<ReadonlyMap<string, Sample>> => {
  const took = new Map<number, Took>();
  for (const [size, seeded] of waiting) {
    const found = await onCopy(seeded, async (url) => {
      const pool = poolOf(url, POOL_SIZE);
      return measure(pool).finally(() => pool.end());
    });
    took.set(size, { ...found, storeBytes: found.storeBytes / size });
  }
  const [first, last] = [[...took.values()].at(0), [...took.values()].at(-1)];
  const store = { 'store at 10 k': first?.storeBytes ?? Number.NaN, 'store at 1 M': last?.storeBytes ?? Number.NaN };
  return new Map(
    operations.map((operation) => {
      const sample = sampleOf(new Map([...took].map(([size, { calls }]) => [size, calls[operation]])));
      return [`${operation} ${where}`, operation === 'schedule' ? { ...sample, ...store } : sample];
    }),
  );
};

const sampleOf = (took: ReadonlyMap<number, number>): Sample => ({
  ...Object.fromEntries([...took].map(([size, micros]) => [names[size] ?? String(size), micros])),
  grows: growthExponent([...took]),
});

/** The waiting timers' bytes in Postgres; the index is in the process. */
const onWheel = async (pool: Pool, calls: number): Promise<Took> => {
  const { rows } = await pool.query<{ bytes: string }>(
    `select pg_total_relation_size('"${SCHEMA}".timer') + pg_total_relation_size('"${SCHEMA}".timer_due') as bytes`,
  );
  return { calls: await timeCalls(pool, (await openWheel()).index, calls), storeBytes: Number(rows[0]?.bytes) };
};

const onRedis = async (pool: Pool, redisUrl: string, calls: number): Promise<Took> => {
  const admin = new Redis(redisUrl);
  await admin.flushall();
  const before = await redisBytes(admin);
  const open = await openRedisIndex(redisUrl);
  const took = await timeCalls(pool, open.index, calls).finally(open.close);
  // The other scheduled timers are cancelled again by now.
  const storeBytes = (await redisBytes(admin)) - before;
  admin.disconnect();
  return { calls: took, storeBytes };
};

const IN_FLIGHT = 64;
const WARM_UP = 2_000;
/** New owners, after those with waiting timers. */
const FIRST_ID = 100_000_000;

/** Microseconds per call of the engine, one timer each, 64 in flight, beside the waiting timers in `pool`. */
const timeCalls = async (pool: Pool, index: DueIndex, count: number): Promise<Readonly<Record<Operation, number>>> => {
  const engine = await openEngine({ pool, index, fire: async () => undefined });
  const times = farTimes(WARM_UP + count);
  const { timers } = engine;
  const key = (id: number) => ({ kind: KIND, subject: `own-${id}` });
  const timeOf = (id: number): number => times[id] ?? 0;
  const calls: Record<Operation, (id: number) => Promise<unknown>> = {
    schedule: (id) => timers.schedule([{ ...key(id), owner: ownerOf(FIRST_ID + id), dueAtMs: timeOf(id) }]),
    reschedule: (id) => timers.reschedule([{ ...key(id), dueAtMs: timeOf(id) + 60_000 }]),
    cancel: (id) => timers.cancel([key(id)]),
  };
  const took = { schedule: 0, reschedule: 0, cancel: 0 };
  for (const operation of operations) {
    await inLanes(WARM_UP, IN_FLIGHT, calls[operation]);
    took[operation] = await microsACall(count, IN_FLIGHT, (at) => calls[operation](WARM_UP + at));
  }
  await engine.stop();
  return took;
};

/** Contenders with a common measurement: the first one in a round measures for all of them, the others take their part. */
const together = (
  names: readonly string[],
  measure: () => Promise<ReadonlyMap<string, Sample>>,
): readonly Contender[] => {
  let found = new Map<string, Sample>();
  return names.map((name) => ({
    name,
    measure: async () => {
      if (!found.has(name)) found = new Map(await measure());
      const own = found.get(name) ?? {};
      found.delete(name);
      return own;
    },
  }));
};

/** One size, and the cost of a call at it. */
type Point = readonly [size: number, took: number];

/**
 * The growth of a call's cost with the size: the slope of log(took) over log(size), by least squares. 0: no growth;
 * 0.1: a quarter more at ten times the size; 1: proportional.
 */
export const growthExponent = (points: readonly Point[]): number => {
  const logs = points.map(([size, took]) => [Math.log(size), Math.log(took)] as const);
  const mean = (at: 0 | 1): number => logs.reduce((sum, log) => sum + log[at], 0) / logs.length;
  const [meanSize, meanTook] = [mean(0), mean(1)];
  const shared = logs.reduce((sum, [size, took]) => sum + (size - meanSize) * (took - meanTook), 0);
  return shared / logs.reduce((sum, [size]) => sum + (size - meanSize) ** 2, 0);
};
