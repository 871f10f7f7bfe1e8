import { EventEmitter } from 'node:events';
import { AbstractConnector, Cluster, type ClusterNode, Redis, type RedisOptions } from 'ioredis';
import type { Clock } from '../../../runtime/clock.ts';

/** The outcome of a command without a reply in this time is unknown. */
const COMMAND_TIMEOUT_MS = 1000;
const CONNECTED_WITHIN_MS = 3_000;
const RECONNECT_AT_MOST_EVERY_MS = 500;
const KEEP_ALIVE_MS = 10_000;
const SENTINEL_PORT = 26_379;

const reconnectDelay = (attempt: number): number => Math.min(attempt * 50, RECONNECT_AT_MOST_EVERY_MS);
const ignored = (): void => undefined;

const OPTIONS: RedisOptions = {
  lazyConnect: true,
  // A channel only listens: otherwise a network may drop its connection without a word.
  keepAlive: KEEP_ALIVE_MS,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: 2 * COMMAND_TIMEOUT_MS,
  retryStrategy: reconnectDelay,
  sentinelRetryStrategy: reconnectDelay,
  sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
  // Both channels subscribe again themselves: a refusal of ioredis' own attempt could not be caught.
  autoResubscribe: false,
};

/**
 * A client that is not connected yet, fails at once while its connection is away, and reconnects itself. Several URLs,
 * with commas, are nodes of one Cluster, or Sentinels. Commands follow each other without waiting, but not by ioredis'
 * automatic pipelining, which makes a pipeline object each time and doubles the garbage.
 */
export const createRedisClient = (urls: string): Redis | Cluster => {
  const all = urls.split(',').map((url) => url.trim());
  const [first = ''] = all;
  if (first.startsWith('redis+sentinel:'))
    return withErrorListener(new Redis(sentinelOptions(all.map((url) => new URL(url)))));
  const client = new Redis(first, OPTIONS);
  return all.length === 1 ? withErrorListener(client) : clusterOf(client, all);
};

/**
 * The Cluster of a client's server; not connected yet. Nodes are called by the names that the Cluster gives, because a
 * certificate may have no address. All nodes need the same user, password and TLS as the first.
 */
export const clusterOf = ({ options }: Redis, nodes: ClusterNode[] = [{ ...addressOf(options) }]): Cluster => {
  const cluster = new Cluster(nodes, {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectDelay,
    dnsLookup: (address, told) => told(null, address),
    redisOptions: { ...options, db: 0 },
  });
  // A Cluster finds its nodes with copies of its connections, and hides why those fail.
  cluster.on('+node', (node: Redis) => {
    const duplicate = node.duplicate.bind(node);
    node.duplicate = (override) => duplicate(override).on('error', (error) => cluster.emit('node error', error));
  });
  return withErrorListener(cluster);
};

const addressOf = ({ host = 'localhost', port = 6379 }: RedisOptions) => ({ host, port });

/** `redis+sentinel://user:password@sentinel:26379/name/db`; user and password belong to the server, not to the Sentinels. */
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
const withErrorListener = <Client extends Redis | Cluster>(client: Client): Client => {
  client.on('error', ignored);
  return client;
};

/**
 * Replaces its connections: ends them at once, as if they were lost, or begins where they have ended. `disconnect(true)`
 * would wait for the server.
 */
export const reconnect = (client: Redis | Cluster): void => {
  if (client.status === 'end') client.connect().catch(ignored);
  else for (const { stream } of client instanceof Cluster ? client.nodes() : [client]) stream?.destroy();
};

/**
 * Connects, or fails with the first error: a client of Sentinels would retry within its first attempt. The promise of a
 * Cluster whose first check fails stays open, though the Cluster connects again by itself.
 */
export const connectOnce = (client: Redis | Cluster): Promise<unknown> =>
  Promise.race([
    client.connect(),
    new Promise((resolve, reject) => client.once('ready', resolve).once('error', reject)),
  ]);

/**
 * Fails after 3 s. A server that loads its data, a Cluster that is not in order and a node that hangs give neither a
 * connection nor an error. The client goes on by itself.
 */
export const bounded = async <Value>(clock: Clock, work: Promise<Value>): Promise<Value> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(CONNECTED_WITHIN_MS, () => reject(new Error('Redis gives no connection')));
  return Promise.race([work, promise]).finally(cancel);
};

/**
 * ioredis listens only to the first error of a socket. A socket that it ends during a TLS handshake may have a second
 * error, which would end the process.
 */
const { disconnect } = AbstractConnector.prototype;
AbstractConnector.prototype.disconnect = function (this: AbstractConnector): void {
  if ('stream' in this && this.stream instanceof EventEmitter) this.stream.on('error', ignored);
  disconnect.call(this);
};
