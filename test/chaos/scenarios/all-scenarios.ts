import type { Scenario } from './scenario.ts';
import { serverScenarios } from './servers.ts';
import { storeScenarios } from './stores.ts';

export const scenarios: readonly Scenario[] = [...serverScenarios, ...storeScenarios];
