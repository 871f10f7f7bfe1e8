import { setTimeout as pass } from 'node:timers/promises';
import { hang } from '../world/hang.ts';
import type { Scenario } from './scenario.ts';

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

/** Others' services, which calls ask. Calls go on hanging until the end of a scenario. */
export const serviceScenarios: readonly Scenario[] = [hangingService('service hangs', 4_000)];

export const longServiceScenarios: readonly Scenario[] = [hangingService('service hangs for a minute', 60_000)];
