import { killScenarios } from './kills.ts';
import { longPostgresScenarios, postgresScenarios } from './postgres.ts';
import { longRedisScenarios, redisScenarios } from './redis.ts';
import type { Scenario } from './scenario.ts';
import { serverScenarios } from './servers.ts';
import { longServiceScenarios, serviceScenarios } from './services.ts';

/** What `npm test` does once. */
export const testedScenarios: readonly Scenario[] = [
  ...serverScenarios,
  ...redisScenarios,
  ...postgresScenarios,
  ...serviceScenarios,
];

/** What the tests have no time for. */
const longScenarios: readonly Scenario[] = [
  ...longRedisScenarios,
  ...longPostgresScenarios,
  ...killScenarios,
  ...longServiceScenarios,
];

export const allScenarios: readonly Scenario[] = [...testedScenarios, ...longScenarios];
