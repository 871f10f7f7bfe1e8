import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbedded } from '../../../server/adapter/embedded-postgres/embedded.ts';
import { runningPostmaster, stopPostmaster } from '../../../server/adapter/embedded-postgres/postmaster.ts';
import { type SilentNetwork, silentNetwork } from '../../support/machine/relay.ts';
import { createDatabase, type PostgresServer } from '../../support/postgres/postgres-server.ts';

/** `network`: over one that can fall silent. `embedded`: the server brings a Postgres of its own, and there is one server. */
export type Reached = 'directly' | 'network' | 'embedded';

export interface WorldDatabase {
  /** What the servers are told. */
  readonly env: Readonly<Record<string, string>>;
  /** How we reach it, directly. */
  readonly url: string;
  /** Between the servers and it, if there is one. */
  readonly network: SilentNetwork | undefined;
  drop(): Promise<void>;
}

export const openDatabase = async (postgres: PostgresServer, reached: Reached): Promise<WorldDatabase> => {
  if (reached === 'embedded') return embedded();
  const { url, drop } = await createDatabase(postgres.url);
  if (reached === 'directly') return { env: { DATABASE_URL: url }, url, network: undefined, drop };
  const network = await silentNetwork(url);
  return {
    env: { DATABASE_URL: network.url },
    url,
    network,
    drop: async () => {
      await network.stop();
      await drop();
    },
  };
};

/** Settings that the server's own Postgres has from its first start on, though the server does not know them. */
const embedded = async (): Promise<WorldDatabase> => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kibble-chaos-data-'));
  const clusterDir = path.join(dataDir, 'postgres');
  const made = await startEmbedded({ dataDir });
  const client = new Client({ connectionString: made.url });
  await client.connect();
  for (const [name, value] of Object.entries(chaosPostgres.settings)) {
    await client.query(`alter system set ${name} = '${value}'`);
  }
  await client.end();
  await made.stop();
  const own = new URL(made.url);
  return {
    env: { DATA_DIR: dataDir },
    network: undefined,
    get url() {
      // After a crash it may have another one.
      own.port = String(runningPostmaster(clusterDir)?.port ?? own.port);
      return own.href;
    },
    drop: async () => {
      const running = runningPostmaster(clusterDir);
      if (running) await stopPostmaster(clusterDir, running);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

/** Commits are on disk, or a kill would lose what was answered; and each keeps its time, for the checker. */
export const chaosPostgres = { durable: true, settings: { track_commit_timestamp: 'on' } } as const;
