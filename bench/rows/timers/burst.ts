import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { silentLog } from '../../../test/support/log/logs.ts';
import type { Row, Sample } from '../../harness/row.ts';
import { openRedisIndex, openWheel } from '../../timers/due-index.ts';
import { seedPending } from '../../timers/due-times.ts';
import { engineLateness } from '../../timers/engine-lateness.ts';
import { rawRedisLateness } from '../../timers/raw-redis.ts';

const WHEEL = 'engine on the wheel, committed';
const REDIS = 'engine on Redis, committed';
const RAW = 'raw Redis and Stream';
const PENDING = 10_000;
const LEAD_MS = 6_000;

/** The time of many timers of one instant. */
export const burst: Row = {
  name: 'burst',
  about: `20,000 timers of an own kind due at one instant while ${PENDING.toLocaleString('en')} others wait: from then until the effect of the last is committed in Postgres; and until the last is in a worker's hands with the least code on Redis, which commits nothing.`,
  rounds: 3,
  figures: [{ name: 'last', unit: 'ms' }],
  targets: [WHEEL, REDIS].map((of) => ({ of, figure: 'last', against: RAW, atMost: 5 })),
  quick: { rounds: 2, guarded: [WHEEL, REDIS].map((of) => ({ of, figure: 'last', against: RAW, better: 'less' })) },
  prepare: async ({ stores, isQuick }) => {
    const redisUrl = await stores.redisUrl();
    const database = await stores.migrated();
    const pool = createPool({ url: database.url, max: 10, log: silentLog });
    await seedPending(pool, PENDING);
    const plan = { count: isQuick ? 2_000 : 20_000, spanMs: 0, leadMs: LEAD_MS };
    return {
      contenders: [
        { name: WHEEL, measure: async () => last(await engineLateness(pool, (await openWheel()).index, plan)) },
        {
          name: REDIS,
          measure: async () => {
            const open = await openRedisIndex(redisUrl);
            return last(await engineLateness(pool, open.index, plan).finally(open.close));
          },
        },
        { name: RAW, measure: async () => last(await rawRedisLateness(redisUrl, PENDING, plan)) },
      ],
      dispose: () => pool.end(),
    };
  },
};

const last = ({ max = Number.NaN }: Sample): Sample => ({ last: max });
