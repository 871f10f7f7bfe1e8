import { Cluster, Redis, type RedisOptions } from 'ioredis';

/** A command without a reply in this time has an unknown outcome. */
const COMMAND_TIMEOUT_MS = 1000;
const RECONNECT_AT_MOST_EVERY_MS = 500;

/**
 * A client that fails at once while its connection is away, and comes back by itself; not connected yet. Several
 * URLs, with commas, are nodes of one Cluster. Commands follow each other on the wire without waiting, but not by
 * ioredis' automatic pipelining: that makes a pipeline object each time, and garbage twice as much.
 */
export const createRedisClient = (urls: string): Redis | Cluster => {
  const options: RedisOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 2 * COMMAND_TIMEOUT_MS,
    retryStrategy: reconnectDelay,
    // Both channels subscribe again by themselves. When Redis refuses ioredis' own attempt, nobody can catch that.
    autoResubscribe: false,
  };
  const nodes = urls.split(',').map((url) => url.trim());
  const client =
    nodes.length === 1
      ? new Redis(nodes[0] ?? '', options)
      : new Cluster(nodes, {
          lazyConnect: true,
          enableOfflineQueue: false,
          clusterRetryStrategy: reconnectDelay,
          redisOptions: { ...options, ...credentialsOf(nodes[0] ?? '') },
        });
  // Without a listener ioredis prints each failure; `RedisDueIndex` reports the state instead.
  client.on('error', () => undefined);
  return client;
};

const reconnectDelay = (attempt: number): number => Math.min(attempt * 50, RECONNECT_AT_MOST_EVERY_MS);

/** A Cluster tells addresses only; the other nodes want the same user, password and TLS as the first. */
const credentialsOf = (url: string): RedisOptions => {
  const { username, password, protocol } = new URL(url);
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
};
