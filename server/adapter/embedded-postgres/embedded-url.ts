import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { clusterUser } from './embedded-cluster.ts';
import { runningPostmaster } from './postmaster.ts';

/** Of the embedded Postgres that a server runs on this folder, for a tool beside it. Undefined when none runs. */
export const embeddedUrl = (dataDir: string): string | undefined => {
  const running = runningPostmaster(path.join(dataDir, 'postgres'));
  const password = path.join(dataDir, 'postgres-password');
  if (running === undefined || !existsSync(password)) return undefined;
  return `postgres://${clusterUser}:${readFileSync(password, 'utf8').trim()}@127.0.0.1:${running.port}/${clusterUser}`;
};
