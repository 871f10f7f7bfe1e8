import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type ClusterNetwork, hostOf, type Place } from './cluster-network.ts';
import type { RedisBinary } from './redis-binary.ts';
import { freePort, type RedisServer, startRedis } from './redis-server.ts';

const SLOTS = 16_384;
const MASTERS = 3;
const MOST_MEETINGS = 30;

export interface RedisCluster {
  /** The URLs of all nodes, with commas. */
  readonly url: string;
  /** The masters of the beginning, then their replicas, in the same order. Their own URLs pass by the network. */
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

interface Options {
  /** Of each master: 0 or 1. Default 0. */
  readonly replicas?: 0 | 1;
  /** After how long without a word of it a member is thought dead. Default 1 s. */
  readonly nodeTimeoutMs?: number;
  /** Default: that of all tests. */
  readonly binary?: RedisBinary;
  /** Clients reach the members by the name of a certificate, with TLS. Default: without. */
  readonly isTls?: boolean;
  /** Between the members, and between them and their clients. Default: they reach each other directly. */
  readonly network?: ClusterNetwork;
}

interface Member {
  readonly server: RedisServer;
  /** As the others, and clients, reach it. */
  readonly place: Place;
}

/** A Redis Cluster of three masters, each a server of its own, and their replicas. */
export const startRedisCluster = async (options: Options = {}): Promise<RedisCluster> => {
  const { replicas = 0 } = options;
  const started = await Promise.allSettled(
    Array.from({ length: MASTERS * (1 + replicas) }, (_, at) => startMember(at, options)),
  );
  const members = started.flatMap((member) => (member.status === 'fulfilled' ? member.value : []));
  const servers = members.map(({ server }) => server);
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
    await join(
      clients,
      members.map(({ place }) => place),
    );
    await replicate(clients);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    for (const client of clients) client.disconnect();
  }
  const urlOf = ({ place: { host, port } }: Member): string =>
    options.isTls ? `rediss://${TLS_NAME}:${port}` : `redis://${host}:${port}`;
  const url = members.map(urlOf).join(',');
  return { url, servers, stop };
};

/** The bus gets a port of its own: by default it is 10,000 above, which may not exist. */
const startMember = async (
  at: number,
  { nodeTimeoutMs = 1000, network, isTls = false, binary }: Options,
): Promise<Member> => {
  const [port, busPort, tlsPort] = [await freePort(), await freePort(), await freePort()];
  const own = { host: '127.0.0.1', port: isTls ? tlsPort : port, busPort };
  const place = (await network?.join(at, { port, busPort })) ?? own;
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-require-full-coverage': 'no',
    'cluster-node-timeout': nodeTimeoutMs,
    'cluster-port': busPort,
    'repl-diskless-sync-delay': 0,
    ...(network && {
      // A member that is cut off from the others still responds to the test.
      'cluster-allow-reads-when-down': 'yes',
      'cluster-announce-ip': place.host,
      'cluster-announce-port': place.port,
      'cluster-announce-bus-port': place.busPort,
      'bind-source-addr': hostOf(at),
    }),
    ...(isTls && {
      'tls-cluster': 'yes',
      'cluster-announce-hostname': TLS_NAME,
      'cluster-preferred-endpoint-type': 'hostname',
    }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  if (isTls) flags.push(...tlsFlags(tlsPort));
  return { server: await startRedis({ port, flags, binary }), place };
};

const join = async (clients: readonly Redis[], places: readonly Place[]): Promise<void> => {
  for (const [at, client] of clients.slice(0, MASTERS).entries()) {
    const [first, beyond] = [Math.ceil((SLOTS * at) / MASTERS), Math.ceil((SLOTS * (at + 1)) / MASTERS)];
    await client.call('CLUSTER', 'ADDSLOTSRANGE', first, beyond - 1);
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
  }
  // Redis drops a meeting that is not answered within a second, as on a machine that is busy: then they meet again.
  for (let left = MOST_MEETINGS; left > 0; left -= 1) {
    for (const client of clients) {
      for (const { host, port, busPort } of places) await client.call('CLUSTER', 'MEET', host, port, busPort);
    }
    if (await comesTrue(1000, async () => (await Promise.all(clients.map(agrees))).every(Boolean))) return;
  }
  throw new Error(`the members of the Cluster did not agree after ${MOST_MEETINGS} meetings`);
};

/** Each node beyond the masters copies one of them. Resolves when all copies are whole. */
const replicate = async (clients: readonly Redis[]): Promise<void> => {
  const replicas = clients.slice(MASTERS);
  for (const [at, replica] of replicas.entries()) {
    await replica.call('CLUSTER', 'REPLICATE', String(await clients[at]?.call('CLUSTER', 'MYID')));
  }
  const isWhole = async (replica: Redis): Promise<boolean> =>
    (await replica.info('replication')).includes('master_link_status:up');
  const areWhole = async (): Promise<boolean> => (await Promise.all(replicas.map(isWhole))).every(Boolean);
  if (!(await comesTrue(30_000, areWhole))) throw new Error('a replica did not get its copy within 30 s');
};

/** Whether the node knows the owner of every slot. */
const agrees = async (client: Redis): Promise<boolean> => {
  const info = String(await client.call('CLUSTER', 'INFO'));
  return info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}`);
};

/** Asks until it is so; false: not within that time. */
const comesTrue = async (withinMs: number, isSo: () => Promise<boolean>): Promise<boolean> => {
  const endAtMs = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > endAtMs) return false;
    await pass(10);
  }
  return true;
};

const file = (name: string): string => path.join(import.meta.dirname, 'tls', name);

/** Of the authority that signed the certificate, as PEM. No client trusts it yet. Its own key is kept nowhere. */
export const authority = readFileSync(file('authority.pem'), 'utf8');

/** The certificate has this name, and no address. */
const TLS_NAME = 'localhost';

/** Flags of a Redis server that listens with TLS on this port. */
const tlsFlags = (port: number): readonly string[] => [
  ...['--tls-port', String(port), '--tls-auth-clients', 'no'],
  ...[
    '--tls-cert-file',
    file('own.pem'),
    '--tls-key-file',
    file('own.key'),
    '--tls-ca-cert-file',
    file('authority.pem'),
  ],
];
