import { Redis } from 'ioredis';
import { freePort, type RedisServer, startRedis } from './redis-server.ts';

const SLOTS = 16_384;
const MASTERS = 3;

export interface RedisCluster {
  /** The URLs of all nodes, with commas. */
  readonly url: string;
  /** The masters of the beginning, then their replicas, in the same order. */
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

interface Options {
  /** Of each master: 0 or 1. Default 0. */
  readonly replicas?: 0 | 1;
}

/** A Redis Cluster of three masters, each a server of its own, and their replicas. */
export const startRedisCluster = async ({ replicas = 0 }: Options = {}): Promise<RedisCluster> => {
  const started = await Promise.allSettled(Array.from({ length: MASTERS * (1 + replicas) }, startMember));
  const servers = started.flatMap((member) => (member.status === 'fulfilled' ? member.value : []));
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  const failed = started.find((member) => member.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const clients = servers.map(({ url }) => new Redis(url));
  try {
    await join(clients, servers);
    await replicate(clients);
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
    '--repl-diskless-sync-delay',
    '0',
  ];
  return startRedis({ flags: [...cluster, '--cluster-port', String(await freePort())] });
};

const join = async (clients: readonly Redis[], servers: readonly RedisServer[]): Promise<void> => {
  for (const [at, client] of clients.slice(0, MASTERS).entries()) {
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

/** Each node beyond the masters copies one of them. Resolves when all copies are whole. */
const replicate = async (clients: readonly Redis[]): Promise<void> => {
  const replicas = clients.slice(MASTERS);
  for (const [at, replica] of replicas.entries()) {
    await replica.call('CLUSTER', 'REPLICATE', String(await clients[at]?.call('CLUSTER', 'MYID')));
  }
  for (const replica of replicas) while (!(await replica.info('replication')).includes('master_link_status:up'));
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
