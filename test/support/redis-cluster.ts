import { Redis } from 'ioredis';
import { freePort, type RedisServer, startRedis } from './redis-server.ts';

const SLOTS = 16_384;
const MASTERS = 3;

export interface RedisCluster {
  /** The URLs of all nodes, with commas. */
  readonly url: string;
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

/** A Redis Cluster of three masters and no replicas, each a server of its own. */
export const startRedisCluster = async (): Promise<RedisCluster> => {
  const servers = await Promise.all(Array.from({ length: MASTERS }, startMember));
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  const clients = servers.map(({ url }) => new Redis(url));
  try {
    await join(clients, servers);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const client of clients) client.disconnect();
  }
  return { url: servers.map(({ url }) => url).join(','), servers, stop };
};

/** The bus gets a port of its own: by default it is 10,000 above, which may not exist. */
const startMember = async (): Promise<RedisServer> => {
  const cluster = [
    '--cluster-enabled',
    'yes',
    '--cluster-require-full-coverage',
    'no',
    '--cluster-node-timeout',
    '1000',
  ];
  return startRedis({ flags: [...cluster, '--cluster-port', String(await freePort())] });
};

const join = async (clients: readonly Redis[], servers: readonly RedisServer[]): Promise<void> => {
  for (const [at, client] of clients.entries()) {
    const [first, beyond] = [Math.ceil((SLOTS * at) / MASTERS), Math.ceil((SLOTS * (at + 1)) / MASTERS)];
    await client.call('CLUSTER', 'ADDSLOTSRANGE', first, beyond - 1);
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
  }
  for (const client of clients) {
    for (const [at, { port }] of servers.entries()) {
      const busPort = await busPortOf(clients[at]);
      await client.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
    }
  }
  for (const client of clients) await agrees(client);
};

const busPortOf = async (client: Redis | undefined): Promise<string> => {
  const [, port = ''] = ((await client?.config('GET', 'cluster-port')) ?? []) as string[];
  return port;
};

/** Resolves when the node knows who has every slot. */
const agrees = async (client: Redis): Promise<void> => {
  for (;;) {
    const info = String(await client.call('CLUSTER', 'INFO'));
    if (info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}`)) return;
  }
};
