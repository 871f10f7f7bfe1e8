import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { SilentNetwork } from '../../support/machine/relay.ts';
import type { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { type RedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.ts';
import { type RedisServer, startRedis } from '../../support/redis/redis-server.ts';
import { petRules } from '../play/rules.ts';
import { openDatabase, type Reached } from './database.ts';
import { OPS_TOKEN, type Role, type ServerNode, startNode } from './node.ts';

export interface World {
  readonly nodes: readonly ServerNode[];
  /** Where players come in. */
  readonly gateways: readonly string[];
  readonly postgres: PostgresServer;
  /** Of the servers' database. */
  readonly databaseUrl: string;
  /** Between the servers and Postgres, if there is one. */
  readonly network: SilentNetwork | undefined;
  /** One Redis, or those of a Cluster, or none. */
  readonly redis: readonly RedisServer[];
  node(name: string): ServerNode;
  stop(): Promise<void>;
}

export interface WorldOptions {
  readonly postgres: PostgresServer;
  readonly roles: readonly Role[];
  /** Without one it is the timing wheel, in one server. */
  readonly redis: 'single' | 'cluster' | 'none';
  readonly reached?: Reached;
  /** Whether workers ask a service that hangs, beside all else. */
  readonly hangs?: boolean;
}

/** Starts servers on a database and a Redis of their own. The names are the roles with numbers: `worker-1`. */
export const startWorld = async ({
  postgres,
  roles,
  redis,
  reached = 'directly',
  hangs = false,
}: WorldOptions): Promise<World> => {
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
  };
  try {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-chaos-'));
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
    const rulesFile = path.join(folder, 'rules.json');
    writeFileSync(rulesFile, JSON.stringify(petRules));
    const [database, index] = await Promise.all([openDatabase(postgres, reached), startIndex(redis)]);
    closers.push(() => database.drop());
    closers.push(() => index.stop());
    const env = {
      ...database.env,
      ...(redis !== 'none' && { REDIS_URL: index.url }),
      JWT_SECRET: 'k7Qz1v9XbT4mR8wLcY2nPdF6sJhA3gUe',
      OPS_TOKENS: `op:admin:${OPS_TOKEN}`,
      RULES_FILE: rulesFile,
      HOST: '127.0.0.1',
      // All players come from this machine.
      DEV_TOOLS: '1',
    };
    const names = roles.map((role, at) => `${role}-${1 + roles.slice(0, at).filter((same) => same === role).length}`);
    const nodes = await Promise.all(roles.map((role, at) => startNode(names[at] ?? role, role, env, hangs)));
    closers.push(() => Promise.all(nodes.map((node) => node.kill())));
    return {
      nodes,
      postgres,
      redis: index.servers,
      get databaseUrl() {
        return database.url;
      },
      network: database.network,
      stop,
      gateways: nodes.filter(({ role }) => role === 'all' || role === 'gateway').map(({ address }) => address),
      node: (name) => {
        const found = nodes.find((node) => node.name === name);
        if (!found) throw new Error(`there is no node ${name}`);
        return found;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

const startIndex = async (kind: WorldOptions['redis']): Promise<RedisCluster> => {
  if (kind === 'none') return { url: '', servers: [], stop: async () => undefined };
  if (kind === 'cluster') return startRedisCluster({ replicas: 1 });
  const server = await startRedis();
  return { url: server.url, servers: [server], stop: () => server.stop() };
};

/** Runs `work` on a connection of its own to the servers' database. */
export const onDatabase = async <Answer>(
  { databaseUrl }: Pick<World, 'databaseUrl'>,
  work: (client: Client) => Promise<Answer>,
): Promise<Answer> => {
  const client = new Client({ connectionString: databaseUrl, application_name: 'chaos' });
  // It may end with the server in the middle of the work, which throws then.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};
