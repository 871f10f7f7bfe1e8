import { setTimeout as pass } from 'node:timers/promises';
import { inTransactionOf } from '../world/hold-pets.ts';
import type { Scenario } from './scenario.ts';

const FROZEN_MS = 6_000;
const WORKER_BOUND_MS = 7_000;
const twoWorkers = { roles: ['gateway', 'gateway', 'worker', 'worker'], redis: 'single', othersGoOn: true } as const;
const oneWorker = { roles: ['gateway', 'gateway', 'worker'], redis: 'single', othersGoOn: true } as const;
const gatewaysThatFire = { roles: ['all', 'all', 'worker'], redis: 'single', othersGoOn: true } as const;

/** What happens to the processes of the servers themselves. */
export const serverScenarios: readonly Scenario[] = [
  {
    name: 'shard owner killed',
    speaksFor: [
      { row: 13, of: 'kills', times: 1 },
      { row: 11, of: 'workers killed, max 7 s late', times: 1 },
    ],
    ...gatewaysThatFire,
    boundMs: WORKER_BOUND_MS,
    // With three nodes and sixteen shards each node owns some.
    strike: async ({ world, random }) => {
      const node = world.node(random.pick(['all-1', 'all-2', 'worker-1']));
      await node.kill();
      await pass(4_000);
      await node.restart();
      return { node };
    },
  },
  {
    name: 'worker killed in a batch',
    speaksFor: [
      { row: 13, of: 'kills', times: 1 },
      { row: 11, of: 'workers killed, max 7 s late', times: 1 },
    ],
    ...twoWorkers,
    boundMs: WORKER_BOUND_MS,
    strike: async ({ world, random }) => {
      const node = world.node(random.pick(['worker-1', 'worker-2']));
      await inTransactionOf(world, node, () => node.kill());
      // Until the other worker has taken over what this one held.
      await pass(6_000);
      return { node };
    },
  },
  {
    name: 'gateway killed',
    speaksFor: [
      { row: 13, of: 'kills', times: 1 },
      { row: 16, of: 'gateways killed while followed', times: 1 },
    ],
    ...oneWorker,
    boundMs: WORKER_BOUND_MS,
    strike: async ({ world, random }) => {
      const node = world.node(random.pick(['gateway-1', 'gateway-2']));
      await inTransactionOf(world, node, () => node.kill());
      await pass(4_000);
      await node.restart();
      return { node };
    },
  },
  {
    name: 'worker frozen',
    speaksFor: [{ row: 7, of: 'workers stopped for 6 s and resumed', times: 1 }],
    ...twoWorkers,
    boundMs: WORKER_BOUND_MS,
    strike: async ({ world, random }) => {
      const node = world.node(random.pick(['worker-1', 'worker-2']));
      node.freeze();
      await pass(FROZEN_MS);
      node.thaw();
      return { node };
    },
  },
  {
    name: 'worker frozen in a transaction',
    speaksFor: [{ row: 7, of: 'workers stopped for 6 s and resumed', times: 1 }],
    ...twoWorkers,
    boundMs: WORKER_BOUND_MS,
    strike: async ({ world, random }) => {
      const node = world.node(random.pick(['worker-1', 'worker-2']));
      await inTransactionOf(world, node, () => node.freeze());
      await pass(FROZEN_MS);
      node.thaw();
      return { node };
    },
  },
  {
    name: 'gateway frozen in a transaction',
    speaksFor: [{ row: 15, of: 'servers frozen in a transaction', times: 1 }],
    ...oneWorker,
    boundMs: WORKER_BOUND_MS,
    strike: async ({ world, random }) => {
      const node = world.node(random.pick(['gateway-1', 'gateway-2']));
      await inTransactionOf(world, node, () => node.freeze());
      await pass(FROZEN_MS);
      node.thaw();
      return { node };
    },
  },
];
