import { EventEmitter } from 'node:events';
import { AbstractConnector, Cluster, type ClusterNode, Redis, type RedisOptions } from 'ioredis';

/** A command without a reply in this time has an unknown outcome. */
const COMMAND_TIMEOUT_MS = 1000;
const RECONNECT_AT_MOST_EVERY_MS = 500;
const SENTINEL_PORT = 26_379;

const reconnectDelay = (attempt: number): number => Math.min(attempt * 50, RECONNECT_AT_MOST_EVERY_MS);
const ignored = (): void => undefined;

const OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: 2 * COMMAND_TIMEOUT_MS,
  retryStrategy: reconnectDelay,
  sentinelRetryStrategy: reconnectDelay,
  sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
  // Both channels subscribe again by themselves. When Redis refuses ioredis' own attempt, nobody can catch that.
  autoResubscribe: false,
};

/**
 * A client that fails at once while its connection is away, and comes back by itself; not connected yet. Several
 * URLs, with commas, are nodes of one Cluster, or Sentinels. Commands follow each other on the wire without waiting, but
 * not by ioredis' automatic pipelining: that makes a pipeline object each time, and garbage twice as much.
 */
export const createRedisClient = (urls: string): Redis | Cluster => {
  const all = urls.split(',').map((url) => url.trim());
  const [first = ''] = all;
  if (first.startsWith('redis+sentinel:')) return heard(new Redis(sentinelOptions(all.map((url) => new URL(url)))));
  const client = new Redis(first, OPTIONS);
  return all.length === 1 ? heard(client) : clusterOf(client, all);
};

/**
 * The Cluster that a client's server is a node of; not connected yet. A node is called by the name that the Cluster tells:
 * its certificate may have no address. All nodes want the same user, password and TLS as the first.
 */
export const clusterOf = ({ options }: Redis, nodes: ClusterNode[] = [{ ...addressOf(options) }]): Cluster => {
  const cluster = new Cluster(nodes, {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectDelay,
    dnsLookup: (address, told) => told(null, address),
    redisOptions: { ...options, db: 0 },
  });
  // A Cluster looks for its nodes on copies of its connections, and keeps to itself why they fail.
  cluster.on('+node', (node: Redis) => {
    const duplicate = node.duplicate.bind(node);
    node.duplicate = (override) => duplicate(override).on('error', (error) => cluster.emit('node error', error));
  });
  return heard(cluster);
};

const addressOf = ({ host = 'localhost', port = 6379 }: RedisOptions) => ({ host, port });

/** `redis+sentinel://user:password@sentinel:26379/name/db`; user and password are the server's, not the Sentinels'. */
const sentinelOptions = (sentinels: readonly URL[]): RedisOptions => {
  const [{ username = '', password = '', pathname = '' } = {}] = sentinels;
  const [, name = '', db = '0'] = pathname.split('/');
  return {
    ...OPTIONS,
    sentinels: sentinels.map(({ hostname, port }) => ({ host: hostname, port: Number(port) || SENTINEL_PORT })),
    name: decodeURIComponent(name),
    db: Number(db),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
};

/** Without a listener ioredis prints each failure; `RedisDueIndex` reports the state instead. */
const heard = <Client extends Redis | Cluster>(client: Client): Client => {
  client.on('error', ignored);
  return client;
};

/** Connects, or fails with the first error: a client of Sentinels goes on trying within its first attempt. */
export const connectOnce = (client: Redis | Cluster): Promise<unknown> =>
  Promise.race([client.connect(), new Promise((_, reject) => client.once('error', reject))]);

/**
 * ioredis listens to the first error of a socket. One that it ends in the middle of a TLS handshake may have a second
 * one, which would end the process.
 */
const { disconnect } = AbstractConnector.prototype;
AbstractConnector.prototype.disconnect = function (this: AbstractConnector): void {
  if ('stream' in this && this.stream instanceof EventEmitter) this.stream.on('error', ignored);
  disconnect.call(this);
};
