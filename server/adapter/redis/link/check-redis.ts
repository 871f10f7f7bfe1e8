import { Cluster, type Redis } from 'ioredis';
import { READ_ONLY, RedisUnfit } from './redis-trouble.ts';

const OLDEST_MAJOR = 7;

/**
 * Refuses a server on which the index would not be safe: throws `RedisUnfit`; other errors mean that it is away. One
 * that would evict timers is returned instead: what it loses is found by the reconciler and the sweeper, so a server
 * that runs can live with it.
 */
export const checkRedis = async (client: Redis | Cluster): Promise<RedisUnfit | undefined> => {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  const infos = await Promise.all(nodes.map(infoOf));
  for (const info of infos) {
    const version = info.get('redis_version') ?? 'unknown';
    if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
      throw new RedisUnfit({
        code: 'redis/too-old',
        message: `Redis ${version} is too old: ${OLDEST_MAJOR} or newer is needed`,
      });
    }
    if (info.get('role') === 'slave') throw new RedisUnfit(READ_ONLY);
  }
  const policy = infos.flatMap((info) => info.get('maxmemory_policy') ?? []).find((name) => name !== 'noeviction');
  if (policy === undefined) return undefined;
  return new RedisUnfit({
    code: 'redis/evicts',
    message: `Redis would evict timers: set maxmemory-policy to noeviction (it is ${policy})`,
  });
};

const infoOf = async (node: Redis): Promise<ReadonlyMap<string, string>> => {
  const sections = await Promise.all(['server', 'memory', 'replication'].map((section) => node.info(section)));
  return new Map(
    sections
      .flatMap((section) => section.split(/\r?\n/))
      .map((line) => line.split(':'))
      .flatMap(([name, value]) => (name && value !== undefined ? [[name, value] as const] : [])),
  );
};
