import { setTimeout as pass } from 'node:timers/promises';
import { until } from '../play/within.ts';
import { onDatabase, type World } from '../world/world.ts';
import type { Scenario } from './scenario.ts';

const ROUNDS = 10;
/** Of each round; then everything is killed at once. */
const VICTIMS = [
  'worker-1',
  'gateway-1',
  'worker-2',
  'gateway-2',
  'worker-1',
  'worker-2',
  'gateway-1',
  'gateway-2',
] as const;
const WORKERS = VICTIMS.filter((name) => name.startsWith('worker')).length;
const EMBEDDED_KILLS = 10;
const CAUGHT_UP_MS = 10_000;

/** Processes that are killed and started again, one after the other or together. */
export const killScenarios: readonly Scenario[] = [
  {
    name: 'killed again and again',
    speaksFor: [
      { row: 13, of: 'kills', times: ROUNDS * (VICTIMS.length + 1) },
      { row: 13, of: 'kills of workers', times: ROUNDS * WORKERS },
      { row: 13, of: 'kills of gateways', times: ROUNDS * (VICTIMS.length - WORKERS) },
      { row: 13, of: 'kills of everything', times: ROUNDS },
    ],
    roles: ['gateway', 'gateway', 'worker', 'worker'],
    redis: 'single',
    boundMs: 7_000,
    // At times no server is there to answer.
    othersGoOn: false,
    strike: async ({ world, random }) => {
      let awayMs = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const victim of VICTIMS) {
          const node = world.node(victim);
          await node.kill();
          await node.restart();
          await pass(random.below(1_000));
        }
        awayMs = Math.max(awayMs, await killEverything(world));
        await caughtUp(world);
      }
      return { awayMs };
    },
  },
  {
    name: 'the embedded process killed again and again',
    speaksFor: [
      { row: 13, of: 'kills', times: EMBEDDED_KILLS },
      { row: 13, of: 'kills of the embedded process', times: EMBEDDED_KILLS },
    ],
    roles: ['all'],
    redis: 'none',
    reached: 'embedded',
    boundMs: 7_000,
    othersGoOn: false,
    strike: async ({ world, random }) => {
      const node = world.node('all-1');
      let awayMs = 0;
      for (let kill = 0; kill < EMBEDDED_KILLS; kill += 1) {
        const killedAtMs = performance.now();
        await node.kill();
        await node.restart();
        awayMs = Math.max(awayMs, performance.now() - killedAtMs);
        await caughtUp(world);
        await pass(random.below(1_000));
      }
      return { awayMs };
    },
  },
];

/** Until nothing waits that was due while no server was there: after two outages a timer is late by both. */
const caughtUp = (world: World): Promise<void> =>
  onDatabase(world, (client) =>
    until('what was due is fired', CAUGHT_UP_MS, async () => {
      const { rowCount } = await client.query(OVERDUE);
      return rowCount === 0;
    }),
  );

const OVERDUE = `select from kibble.timers
  where fire_at < extract(epoch from clock_timestamp()) * 1000 - 500 limit 1`;

/** Servers, Redis and Postgres, as when the machine loses power. Returns for how long they were away. */
const killEverything = async ({ nodes, redis, postgres }: World): Promise<number> => {
  const killedAtMs = performance.now();
  await Promise.all([...nodes, ...redis, postgres].map((each) => each.kill()));
  await Promise.all([...redis, postgres].map((each) => each.restart()));
  await Promise.all(nodes.map((node) => node.restart()));
  return performance.now() - killedAtMs;
};
