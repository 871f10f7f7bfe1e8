import { runCanary } from '../../floods/canary-run.ts';
import { startVictimServer } from '../../floods/victim-server.ts';
import { createMigrated } from '../../harness/migrated.ts';
import type { Row } from '../../harness/row.ts';

const CALM = 'no flood';
const floods = { 'a flood of messages': 'messages', 'of joins': 'joins', 'of connections': 'connections' } as const;
const RUN_MS = 20_000;

/** What an honest player feels of those who ask for too much. */
export const flooded: Row = {
  name: 'floods',
  about: `One server process with all its limits, on Postgres. An honest player sends 20 commands a second, each a transaction, for ${RUN_MS / 1_000} seconds: from sending to the answer in the SDK. Beside it 32 abusers from 16 addresses, in a process of low priority on the same machine: messages (32 players that send four times what a player may, and now and then so much that they are thrown out), joins (guests, good and made-up tokens, as fast as they are answered), connections (WebSockets without a seat, up to 2,048 requests that never end). Memory of the server’s process at the end; its growth since a first flood of four seconds.`,
  rounds: 2,
  figures: [
    { name: 'p50', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
    { name: 'max', unit: 'ms' },
    { name: 'abuse', unit: '/s' },
    { name: 'memory', unit: 'MB' },
    { name: 'growth', unit: 'MB' },
  ],
  targets: Object.keys(floods).flatMap((of) => [
    { of, figure: 'p99', atMost: 100 },
    { of, figure: 'growth', atMost: 64 },
  ]),
  prepare: async ({ stores, isQuick }) => {
    const database = await createMigrated(await stores.postgresUrl());
    const forMs = isQuick ? 3_000 : RUN_MS;
    const measured = (flood: (typeof floods)[keyof typeof floods] | undefined) => async () => {
      const server = await startVictimServer(database.url);
      try {
        return await runCanary(server, { flood, forMs });
      } finally {
        await server.stop();
      }
    };
    return {
      contenders: [
        { name: CALM, measure: measured(undefined) },
        ...Object.entries(floods).map(([name, flood]) => ({ name, measure: measured(flood) })),
      ],
      dispose: () => database.drop(),
    };
  },
};
