import { killScenarios } from './kills.ts';
import { longPostgresScenarios, postgresScenarios } from './postgres.ts';
import { longRedisScenarios, redisScenarios } from './redis.ts';
import type { Scenario } from './scenario.ts';
import { serverScenarios } from './servers.ts';
import { longServiceScenarios, serviceScenarios } from './services.ts';

/** What the tests do once in `npm run proof`. */
export const testedScenarios: readonly Scenario[] = [
  ...serverScenarios,
  ...redisScenarios,
  ...postgresScenarios,
  ...serviceScenarios,
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
  ...longServiceScenarios,
];

export const allScenarios: readonly Scenario[] = [...testedScenarios, ...longScenarios];
