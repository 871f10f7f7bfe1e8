// Ends an embedded Postgres after its server was killed: `node stop-abandoned.ts <data folder>`. It becomes the owner
// of the folder first, so a server that starts meanwhile waits for it. It does nothing if the folder has an owner.

import path from 'node:path';
import { Client } from 'pg';
import { claimOwnership } from './embedded.ts';
import { embeddedUrl, runningPostmaster, stopPostmaster } from './postmaster.ts';

const stopAbandoned = async (dataDir: string): Promise<void> => {
  const clusterDir = path.join(dataDir, 'postgres');
  const postmaster = runningPostmaster(clusterDir);
  const url = embeddedUrl(dataDir);
  if (!postmaster || url === undefined) return;
  const own = new URL(url);
  own.pathname = '/postgres';
  const client = new Client({ connectionString: own.href });
  client.on('error', () => undefined);
  await client.connect();
  if (await claimOwnership(client)) await stopPostmaster(clusterDir, postmaster);
  await client.end();
};

await stopAbandoned(path.resolve(process.argv[2] ?? '')).catch((error: unknown) => {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
});
