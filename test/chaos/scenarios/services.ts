import { setTimeout as pass } from 'node:timers/promises';
import { until } from '../play/within.ts';
import type { ServerNode } from '../world/node.ts';
import type { Scenario } from './scenario.ts';

/** As when all is well on a busy machine: what only the sweeper brings is two seconds late at least. */
const BOUND_MS = 2_000;
/** So many calls of a kind a process has under way. */
const AT_ONCE = 16;
const BEGIN_MS = 10_000;

/** The only worker fires pets and asks for 400 refunds, of a service that answers none of them. */
const hangingService = (name: string, lastsMs: number): Scenario => ({
  name,
  speaksFor: [],
  roles: ['gateway', 'gateway', 'hanging'],
  redis: 'single',
  boundMs: BOUND_MS,
  othersGoOn: true,
  strike: async ({ world }) => {
    const worker = world.node('hanging-1');
    await ask(worker, 'POST', '/refunds');
    await until('calls hang', BEGIN_MS, async () => Number(await ask(worker, 'GET', '/hanging')) >= AT_ONCE);
    await pass(lastsMs);
    return {};
  },
});

const ask = async (node: ServerNode, method: string, path: string): Promise<string> => {
  const response = await fetch(`${node.address}${path}`, { method });
  if (!response.ok) throw new Error(`${node.name} answers ${response.status} to ${path}`);
  return response.text();
};

/** Others' services, which calls ask. Calls go on hanging until the end of a scenario. */
export const serviceScenarios: readonly Scenario[] = [hangingService('service hangs', 4_000)];

export const longServiceScenarios: readonly Scenario[] = [hangingService('service hangs for a minute', 60_000)];
