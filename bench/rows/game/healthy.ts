import { createMigrated } from '../../harness/migrated.ts';
import type { Row } from '../../harness/row.ts';
import { runHealthy } from '../../herd/healthy-run.ts';
import { type Herd, seedHerd } from '../../herd/seed-herd.ts';

const WHEEL = 'on the wheel';
const REDIS = 'on Redis';
const DUE_PER_SEC = 100;

/** How late timers are on a good day. */
export const healthy: Row = {
  name: 'healthy',
  about: `${DUE_PER_SEC} feedings a second come due, each with its effect (xp, food, the next feeding, events), beside 200 commands a second of other players, for 20 seconds: from the due time until it is committed and followers are told; from when a command should be sent until it is answered.`,
  rounds: 2,
  figures: [
    { name: 'p50', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
    { name: 'max', unit: 'ms' },
    { name: 'command p50', unit: 'ms' },
    { name: 'command p99', unit: 'ms' },
    { name: 'command max', unit: 'ms' },
  ],
  targets: [WHEEL, REDIS].flatMap((of) => [
    { of, figure: 'p99', atMost: 50 },
    { of, figure: 'max', atMost: 500 },
  ]),
  prepare: async ({ stores, isQuick }) => {
    const seeded = await createMigrated(await stores.postgresUrl());
    const redisUrl = await stores.redisUrl();
    const everyMs = 1000 / DUE_PER_SEC;
    const due: Herd = { name: 'due', count: (isQuick ? 2 : 20) * DUE_PER_SEC, dueAtMs: Date.now(), everyMs };
    const calm: Herd = { name: 'calm', count: 8_000, dueAtMs: Date.now() + 3 * 3_600_000, everyMs };
    for (const each of [due, calm]) await seedHerd(seeded.url, each);
    return {
      contenders: [
        { name: WHEEL, measure: () => runHealthy(seeded, { due, calm, redis: undefined }) },
        { name: REDIS, measure: () => runHealthy(seeded, { due, calm, redis: redisUrl }) },
      ],
      dispose: () => seeded.drop(),
    };
  },
};
