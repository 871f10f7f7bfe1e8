import { createMigrated } from '../../harness/migrated.ts';
import type { Row } from '../../harness/row.ts';
import { runHerd } from '../../herd/herd-run.ts';
import { type Herd, seedHerd } from '../../herd/seed-herd.ts';

const WHEEL = 'on the wheel';
const REDIS = 'on Redis';
const OVERDUE = 'on the wheel, due for an hour at the start';
const SIZE = { quick: 5_000, full: 100_000 };
/** Each can be asked four times before its pet has eaten up all. */
const CALM_PLAYERS = 16_000;

/** Whether a herd of due timers leaves room for the living. */
export const herd: Row = {
  name: 'herd',
  about: `${SIZE.full.toLocaleString('en')} feedings due at one instant, each with its effect (xp, food, the next feeding by an auto-feed card, two events, two timers), beside 200 commands a second of other players: completions a second until the last is committed; from when a command should be sent until it is answered; how much more memory the process takes, at its height.`,
  rounds: 2,
  figures: [
    { name: 'perSec', unit: '/s' },
    { name: 'command p50', unit: 'ms' },
    { name: 'command p99', unit: 'ms' },
    { name: 'command max', unit: 'ms' },
    { name: 'grown', unit: 'MB' },
  ],
  targets: [WHEEL, REDIS, OVERDUE].flatMap((of) => [
    { of, figure: 'perSec', atLeast: 5000 },
    { of, figure: 'command p99', atMost: 150 },
  ]),
  prepare: async ({ stores, isQuick }) => {
    const seeded = await createMigrated(await stores.postgresUrl());
    const redisUrl = await stores.redisUrl();
    const count = isQuick ? SIZE.quick : SIZE.full;
    const herd: Herd = { name: 'herd', count, dueAtMs: Date.now(), everyMs: 0 };
    const calm: Herd = { name: 'calm', count: CALM_PLAYERS, dueAtMs: Date.now() + 3 * 3_600_000, everyMs: 10 };
    for (const each of [herd, calm]) await seedHerd(seeded.url, each);
    const run = (redis: string | undefined, isOverdue: boolean) => () =>
      runHerd(seeded, { herd, calm, redis, isOverdue });
    return {
      contenders: [
        { name: WHEEL, measure: run(undefined, false) },
        { name: REDIS, measure: run(redisUrl, false) },
        { name: OVERDUE, measure: run(undefined, true) },
      ],
      dispose: () => seeded.drop(),
    };
  },
};
