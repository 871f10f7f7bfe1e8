import type { Scenario } from './scenario.ts';
import { serverScenarios } from './servers.ts';
import { longServiceScenarios, serviceScenarios } from './services.ts';
import { furtherScenarios, storeScenarios } from './stores.ts';

/** What `npm test` does once. */
export const testedScenarios: readonly Scenario[] = [...serverScenarios, ...storeScenarios, ...serviceScenarios];

export const allScenarios: readonly Scenario[] = [...testedScenarios, ...furtherScenarios, ...longServiceScenarios];
