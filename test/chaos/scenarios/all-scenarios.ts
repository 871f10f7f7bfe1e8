import { setTimeout as pass } from 'node:timers/promises';
import { hang } from '../world/node.ts';
import { killScenarios } from './kills.ts';
import { longPostgresScenarios, postgresScenarios } from './postgres.ts';
import { longRedisScenarios, redisScenarios } from './redis.ts';
import type { Scenario } from './scenario.ts';
import { serverScenarios } from './servers.ts';

/** As when all is well on a busy machine: what only the sweeper brings is two seconds late at least. */
const BOUND_MS = 2_000;

/** The only worker fires pets and asks for 400 refunds, of a service that answers none of them. */
const hangingService = (name: string, lastsMs: number): Scenario => ({
  name,
  speaksFor: [],
  roles: ['gateway', 'gateway', 'hanging'],
  redis: 'single',
  boundMs: BOUND_MS,
  othersGoOn: true,
  strike: async ({ world }) => {
    await hang(world.node('hanging-1'));
    await pass(lastsMs);
    return {};
  },
});

/** What the tests do once in `npm run proof`. */
export const testedScenarios: readonly Scenario[] = [
  ...serverScenarios,
  ...redisScenarios,
  ...postgresScenarios,
  // Calls go on hanging until the end of the scenario.
  hangingService('service hangs', 4_000),
];

/** Much like another one, or with a test of its own on real stores: old-copy, reshard, partition, losses. */
const leftToProof: readonly string[] = [
  'worker frozen',
  'gateway frozen in a transaction',
  'Redis away for 20 s',
  'Redis restored from an old copy',
  'Cluster master killed',
  'reshard',
];

/** What `npm test` does once. */
export const quickScenarios: readonly Scenario[] = testedScenarios.filter(({ name }) => !leftToProof.includes(name));

/** What the tests have no time for. */
const longScenarios: readonly Scenario[] = [
  ...longRedisScenarios,
  ...longPostgresScenarios,
  ...killScenarios,
  hangingService('service hangs for a minute', 60_000),
];

export const allScenarios: readonly Scenario[] = [...testedScenarios, ...longScenarios];
