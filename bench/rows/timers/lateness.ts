import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { silentLog } from '../../../test/support/log/logs.ts';
import { type Contender, type Guarded, inUnit, type Prepared, type Row, type Sample } from '../../harness/row.ts';
import { emptyRedis, type Stores } from '../../harness/stores.ts';
import { type OpenIndex, openRedisIndex, openWheel } from '../../timers/due-index.ts';
import { dueTimes, farTimes, ownerOf, type Plan, seedPending } from '../../timers/due-times.ts';
import { engineLateness } from '../../timers/engine-lateness.ts';
import { openHandOffs, startLoops } from '../../timers/hand-offs.ts';
import { LatenessLog } from '../../timers/lateness-log.ts';
import { rawRedisLateness } from '../../timers/raw-redis.ts';

const ENGINE_WHEEL = 'engine on the wheel, committed';
const ENGINE_REDIS = 'engine on Redis, committed';
const HAND_OFF_WHEEL = 'hand-off on the wheel';
const HAND_OFF_REDIS = 'hand-off on Redis';
const RAW = 'raw Redis and Stream';

/** Medians, because a quick run has too few timers for the last hundredth. */
const guarded = [ENGINE_WHEEL, ENGINE_REDIS, HAND_OFF_WHEEL, HAND_OFF_REDIS].map(
  (of): Guarded => ({ of, figure: 'p50', against: RAW, better: 'less' }),
);

/** The target of the last hundredth. */
const mostLateMs = (pending: number): number => (pending > 100_000 ? 12 : 8);

/** How late timers are while many others wait. */
const latenessRow = (name: string, pending: number, rounds: number): Row => ({
  name,
  about: `500 timers a second come due while ${pending.toLocaleString('en')} others wait: from the due time until the effect is committed in Postgres; until a worker has the timer (hand-off, nothing in Postgres); and the same with the least code on Redis, which asks each millisecond.`,
  rounds,
  figures: inUnit('ms', 'p50', 'p99', 'max'),
  targets: [
    { of: ENGINE_WHEEL, figure: 'p99', atMost: mostLateMs(pending) },
    { of: ENGINE_REDIS, figure: 'p99', atMost: mostLateMs(pending) },
    { of: HAND_OFF_REDIS, figure: 'p99', against: RAW, atMost: 2.5 },
  ],
  ...(pending > 10_000 ? {} : { quick: { rounds: 2, guarded } }),
  prepare: async ({ stores, isQuick }) =>
    prepare(stores, pending, { count: isQuick ? 500 : 2000, spanMs: isQuick ? 1000 : 4000 }),
});

const prepare = async (stores: Stores, pending: number, plan: Plan): Promise<Prepared> => {
  const redisUrl = await stores.redisUrl();
  const database = await stores.migrated();
  const pool = createPool({ url: database.url, max: 10, log: silentLog });
  await seedPending(pool, pending);
  const onWheel = (measure: (open: OpenIndex) => ReturnType<Contender['measure']>) => async () =>
    measure(await openWheel());
  const onRedis = (measure: (open: OpenIndex) => ReturnType<Contender['measure']>) => async () => {
    await emptyRedis(redisUrl);
    const open = await openRedisIndex(redisUrl);
    return measure(open).finally(open.close);
  };
  return {
    contenders: [
      { name: ENGINE_WHEEL, measure: onWheel(({ index }) => engineLateness(pool, index, plan)) },
      { name: ENGINE_REDIS, measure: onRedis(({ index }) => engineLateness(pool, index, plan)) },
      { name: HAND_OFF_WHEEL, measure: onWheel(({ index }) => handOffLateness(index, pending, plan)) },
      { name: HAND_OFF_REDIS, measure: onRedis(({ index }) => handOffLateness(index, pending, plan)) },
      { name: RAW, measure: () => rawRedisLateness(redisUrl, pending, plan) },
    ],
    dispose: () => pool.end(),
  };
};

export const latenessRows: readonly Row[] = [
  latenessRow('lateness-10k', 10_000, 3),
  latenessRow('lateness-100k', 100_000, 3),
  latenessRow('lateness-1m', 1_000_000, 3),
];

/** From the due time until a worker receives the timer: the engine's dispatchers, without Postgres. */
const handOffLateness = async (index: DueIndex, pending: number, plan: Plan): Promise<Sample> => {
  await index.marks.begin(index.inUse.number);
  await index.orders.put(farTimes(pending).map((fireAtMs, id) => entry(id, fireAtMs)));
  await index.marks.finish(index.inUse.number);
  const times = dueTimes(plan);
  const log = new LatenessLog(times);
  const handOffs = openHandOffs(index, systemClock, (ids) => {
    for (const id of ids) log.note(times.atMs[id - pending] ?? 0);
  });
  const stopLoops = startLoops(handOffs.ticks, handOffs.onWake);
  await index.orders.put(times.atMs.map((dueAtMs, at) => entry(pending + at, dueAtMs)));
  return log.sample().finally(() => Promise.all([handOffs.stop(), stopLoops()]));
};

const entry = (id: number, fireAtMs: number): IndexEntry => ({
  timerId: String(id),
  owner: ownerOf(id),
  fireAtMs,
  revision: 1,
});
