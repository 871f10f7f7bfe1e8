import { Redis } from 'ioredis';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { beginGeneration } from '../../../test/support/engine/due-index.ts';
import type { Row, Sample, Target } from '../../harness/row.ts';
import { openRedisIndex, openWheel } from '../../timers/due-index.ts';
import { farTimes, ownerOf } from '../../timers/due-times.ts';
import { claim } from '../../timers/raw-redis.ts';

const WHEEL = 'index on the wheel';
const REDIS = 'index on Redis';
const RAW = 'raw Redis, two ZSETs and one script';
const PENDING = 100_000;

/** The index must reach this share of raw Redis. */
const shares = { put: 0.5, move: 0.35, remove: 0.3, 'hand-off': 0.5 };

/** The cost of the index beside its stores. */
export const indexOperations: Row = {
  name: 'index',
  about: `Timers a second that are put, moved, removed and handed off, 500 a call and 4 calls at once (hand-offs: one call at a time), while ${PENDING.toLocaleString('en')} others wait, ten an owner.`,
  rounds: 3,
  figures: Object.keys(shares).map((name) => ({ name, unit: '/s' })),
  targets: Object.entries(shares).map(([figure, atLeast]): Target => ({ of: REDIS, figure, against: RAW, atLeast })),
  quick: {
    rounds: 3,
    guarded: Object.keys(shares).map((figure) => ({ of: REDIS, figure, against: RAW, better: 'more' })),
  },
  prepare: async ({ stores, isQuick }) => {
    const redisUrl = await stores.redisUrl();
    const measure = (calls: TimerCalls): Promise<Sample> => timeOperations(calls, PENDING, isQuick ? 10_000 : 100_000);
    const emptied = async (): Promise<Redis> => {
      const client = new Redis(redisUrl);
      await client.flushall();
      return client;
    };
    return {
      contenders: [
        { name: WHEEL, measure: async () => measure(await engineCalls((await openWheel()).index)) },
        {
          name: REDIS,
          measure: async () => {
            (await emptied()).disconnect();
            const open = await openRedisIndex(redisUrl);
            return measure(await engineCalls(open.index)).finally(open.close);
          },
        },
        {
          name: RAW,
          measure: async () => {
            const client = await emptied();
            return measure(rawRedisCalls(client)).finally(() => client.disconnect());
          },
        },
      ],
    };
  },
};

/** The calls of an index in this row, 500 timers each. */
interface TimerCalls {
  put(ids: readonly number[], atMs: readonly number[]): Promise<unknown>;
  remove(ids: readonly number[]): Promise<unknown>;
  /** Hands off up to 500 due timers of some shard; returns how many, 0 if none is left. */
  handOff(): Promise<number>;
}

const TIMERS_A_CALL = 500;
/** Calls in flight at once. */
const LANES = 4;

/** The rates of put, move, remove and hand-off, in timers a second, while others wait. */
const timeOperations = async (calls: TimerCalls, pending: number, count: number): Promise<Sample> => {
  const far = farTimes(pending + count);
  await eachPart(0, pending, (ids) => calls.put(ids, timesOf(far, ids, 0)));
  const perSec = async (work: () => Promise<void>): Promise<number> => {
    const startedAtMs = performance.now();
    await work();
    return (count / (performance.now() - startedAtMs)) * 1000;
  };
  const own = (work: (ids: readonly number[]) => Promise<unknown>) => () => eachPart(pending, count, work);
  const put = await perSec(own((ids) => calls.put(ids, timesOf(far, ids, 0))));
  const move = await perSec(own((ids) => calls.put(ids, timesOf(far, ids, 60_000))));
  const remove = await perSec(own((ids) => calls.remove(ids)));
  await own((ids) =>
    calls.put(
      ids,
      ids.map(() => 1),
    ),
  )();
  const handOff = await perSec(async () => {
    let moved = 0;
    while (moved < count) moved += await calls.handOff();
  });
  return { put, move, remove, 'hand-off': handOff };
};

const timesOf = (times: readonly number[], ids: readonly number[], laterMs: number): readonly number[] =>
  ids.map((id) => (times[id] ?? 0) + laterMs);

const eachPart = async (first: number, count: number, work: (ids: readonly number[]) => Promise<unknown>) => {
  let from = first;
  const lane = async (): Promise<void> => {
    while (from < first + count) {
      const at = from;
      from += TIMERS_A_CALL;
      await work(Array.from({ length: Math.min(TIMERS_A_CALL, first + count - at) }, (_, step) => at + step));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
};

/** The engine's index; every change of a timer has a newer revision, as in the rows. */
const engineCalls = async (index: DueIndex): Promise<TimerCalls> => {
  await beginGeneration(index, { number: 1, shards: index.inUse.shards });
  let revision = 0;
  let shard = 0;
  const entry = (id: number, fireAtMs: number): IndexEntry => ({
    timerId: String(id),
    owner: ownerOf(id),
    fireAtMs,
    revision,
  });
  return {
    put: (ids, atMs) => {
      revision += 1;
      return index.orders.put(ids.map((id, at) => entry(id, atMs[at] ?? 0)));
    },
    remove: (ids) => {
      revision += 1;
      return index.orders.remove(ids.map((id) => entry(id, 0)));
    },
    handOff: async () => {
      shard += 1;
      return (await index.handOffs.handOff(shard % index.inUse.shards, Date.now(), TIMERS_A_CALL)).moved;
    },
  };
};

/** KEYS: due ZSET. ARGV: prefix of the owners' ZSETs; then owner, timer, time, repeated. */
const put = `
local all = {}
for at = 2, #ARGV, 3 do
  all[#all + 1] = ARGV[at + 2]
  all[#all + 1] = ARGV[at + 1]
  redis.call('ZADD', ARGV[1] .. ARGV[at], ARGV[at + 2], ARGV[at + 1])
end
redis.call('ZADD', KEYS[1], unpack(all))`;

/** KEYS: due ZSET. ARGV: prefix of the owners' ZSETs; then owner, timer, repeated. */
const remove = `
local all = {}
for at = 2, #ARGV, 2 do
  all[#all + 1] = ARGV[at + 1]
  redis.call('ZREM', ARGV[1] .. ARGV[at], ARGV[at + 1])
end
redis.call('ZREM', KEYS[1], unpack(all))`;

type Script = (...args: (string | number)[]) => Promise<number>;

/** The physical limit: the smallest script that changes two ZSETs together, without fence, shards or wake-ups. */
const rawRedisCalls = (redis: Redis): TimerCalls => {
  redis.defineCommand('rawPut', { numberOfKeys: 1, lua: put });
  redis.defineCommand('rawRemove', { numberOfKeys: 1, lua: remove });
  redis.defineCommand('rawClaim', { numberOfKeys: 2, lua: claim });
  const scripts = redis as unknown as Record<'rawPut' | 'rawRemove' | 'rawClaim', Script>;
  const timer = (id: number): string => `${ownerOf(id)}:${id}`;
  return {
    put: (ids, atMs) =>
      scripts.rawPut('raw:due', 'raw:owner:', ...ids.flatMap((id, at) => [ownerOf(id), timer(id), atMs[at] ?? 0])),
    remove: (ids) => scripts.rawRemove('raw:due', 'raw:owner:', ...ids.flatMap((id) => [ownerOf(id), timer(id)])),
    handOff: () => scripts.rawClaim('raw:due', 'raw:stream', Date.now(), 500, 'raw:owner:'),
  };
};
