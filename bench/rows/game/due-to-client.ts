import { createMigrated } from '../../harness/migrated.ts';
import type { Row } from '../../harness/row.ts';
import { measureClients } from '../../sockets/clients.ts';
import { startCluster } from '../../sockets/cluster.ts';

const ALL = 'two gateways and a worker';
const PLAYERS_A_GATEWAY = 200;

/** How late a player sees what a timer did. */
export const dueToClient: Row = {
  name: 'due-to-client',
  about: `Two gateway processes with ${PLAYERS_A_GATEWAY} players each on sockets, one worker process, Redis: about 100 feedings a second come due, and as many commands feed the pets again. From the due time until the event is in the hands of the player's SDK.`,
  rounds: 2,
  figures: [
    { name: 'p50', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
    { name: 'max', unit: 'ms' },
  ],
  targets: [{ of: ALL, figure: 'p99', atMost: 50 }],
  prepare: async ({ stores, isQuick }) => {
    const database = await createMigrated(await stores.postgresUrl());
    const cluster = await startCluster(database.url, await stores.redisUrl());
    const players = isQuick ? 10 : PLAYERS_A_GATEWAY;
    const meals = isQuick ? 1 : 4;
    return {
      contenders: [{ name: ALL, measure: () => measureClients(cluster.addresses, players, meals) }],
      dispose: async () => {
        await cluster.stop();
        await database.drop();
      },
    };
  },
};
