import { Redis } from 'ioredis';
import type { Row, Sample, Target } from '../../harness/row.ts';
import { engineCalls, type TimerCalls, timeOperations } from '../../index/operations.ts';
import { rawRedisCalls } from '../../index/raw-redis-calls.ts';
import { openRedisIndex, openWheel } from '../../lateness/due-index.ts';

const WHEEL = 'index on the wheel';
const REDIS = 'index on Redis';
const RAW = 'raw Redis, two ZSETs and one script';
const PENDING = 100_000;

/** Of what raw Redis does: the engine with its commits is to reach as much. */
const shares = { put: 0.5, move: 0.35, remove: 0.3, 'hand-off': 0.5 };

/** What the index costs beside its stores. */
export const indexOperations: Row = {
  name: 'index',
  about: `Timers a second that are put, moved, removed and handed off, 500 a call and 4 calls at once, while ${PENDING.toLocaleString('en')} others wait, ten an owner.`,
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
      dispose: async () => undefined,
    };
  },
};
