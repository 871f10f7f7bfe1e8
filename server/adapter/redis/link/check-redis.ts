import { Cluster, type Redis } from 'ioredis';
import { READ_ONLY, RedisUnfit } from './redis-trouble.ts';

const OLDEST_MAJOR = 7;

/**
 * Refuses a server on which the index would not be safe: throws `RedisUnfit`; other errors mean that it is away. Returns
 * whether the client has one node of a Cluster, which says nothing of the others yet.
 */
export const checkRedis = async (client: Redis | Cluster): Promise<boolean> => {
  const isCluster = client instanceof Cluster;
  const infos = await Promise.all((isCluster ? client.nodes('master') : [client]).map(infoOf));
  if (!isCluster && infos[0]?.get('cluster_enabled') === '1') return true;
  infos.forEach(refuseUnfit);
  return false;
};

type Info = ReadonlyMap<string, string>;

/** Valkey and Dragonfly say as `redis_version` which Redis they are compatible with. */
const refuseUnfit = (info: Info): void => {
  const version = info.get('redis_version') ?? 'unknown';
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
    throw new RedisUnfit({
      code: 'redis/too-old',
      message: `Redis ${version} is too old: ${OLDEST_MAJOR} or newer is needed`,
    });
  }
  if (info.get('role') === 'slave') throw new RedisUnfit(READ_ONLY);
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  // No key of ours has a time to live, and without a bound there is no reason to evict. Dragonfly's word is `eviction`.
  if (/^(noeviction$|volatile-)/.test(policy) || info.get('maxmemory') === '0') return;
  throw new RedisUnfit({
    code: 'redis/evicts',
    message: `Redis would evict timers: set maxmemory-policy to noeviction (it is ${policy})`,
  });
};

const infoOf = async (node: Redis): Promise<Info> =>
  new Map(
    (await node.info()).split(/\r?\n/).flatMap((line) => {
      const [name, value] = line.split(':');
      return name && value !== undefined ? [[name, value] as const] : [];
    }),
  );
