import { createMigrated } from '../../harness/migrated.ts';
import type { Contender, Row } from '../../harness/row.ts';
import { type Herd, seedHerd } from '../../herd/seed-herd.ts';
import { NO_TROUBLES, runIsolation } from '../../isolation/isolation-run.ts';

const HANGING = ', one kind hangs';
const HERD = ' beside 100,000 pets due at once';
const settings = [
  { name: 'wheel', processes: 1, isOnRedis: false },
  { name: 'Redis', processes: 1, isOnRedis: true },
  { name: 'Redis, 3 processes', processes: 3, isOnRedis: true },
] as const;
const HANGING_CALLS = 400;
const PETS = { quick: 5_000, full: 100_000 };

/** Whether a kind holds up others. */
export const isolation: Row = {
  name: 'isolation',
  about:
    '25 timers a second of two kinds (one fires in Postgres, one calls) for 20 s: from the due time until the effect; alone, with 400 calls of a third kind to a service that never answers, and beside a herd of 100,000 feedings due as the first of them.',
  rounds: 1,
  figures: [
    { name: 'p50', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
    { name: 'max', unit: 'ms' },
    { name: 'fired', unit: 'count' },
  ],
  targets: settings.flatMap(({ name }) => [
    { of: `${name}${HANGING}`, figure: 'p99', atMost: 60 },
    { of: `${name}${HANGING}`, figure: 'fired', atLeast: 500 },
  ]),
  prepare: async ({ stores, isQuick }) => {
    const seeded = await createMigrated(await stores.postgresUrl());
    const withHerd = await createMigrated(await stores.postgresUrl());
    const redisUrl = await stores.redisUrl();
    const herd: Herd = { name: 'herd', count: isQuick ? PETS.quick : PETS.full, dueAtMs: Date.now(), everyMs: 0 };
    await seedHerd(withHerd.url, herd);
    const others = isQuick ? { count: 125, spanMs: 5_000 } : { count: 500, spanMs: 20_000 };
    const contenders = settings.flatMap(({ name, processes, isOnRedis }): readonly Contender[] => {
      const plan = { processes, redis: isOnRedis ? redisUrl : undefined, ...others };
      return [
        { name, measure: () => runIsolation(seeded, { ...plan, troubles: NO_TROUBLES }) },
        {
          name: `${name}${HANGING}`,
          measure: () => runIsolation(seeded, { ...plan, troubles: { ...NO_TROUBLES, hanging: HANGING_CALLS } }),
        },
        { name: `${name}${HERD}`, measure: () => runIsolation(withHerd, { ...plan, troubles: NO_TROUBLES, herd }) },
      ];
    });
    return {
      contenders,
      dispose: async () => {
        await seeded.drop();
        await withHerd.drop();
      },
    };
  },
};
