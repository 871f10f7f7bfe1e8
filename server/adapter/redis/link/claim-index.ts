import type { Cluster, Redis } from 'ioredis';
import { RedisUnfit } from './redis-trouble.ts';

interface Claim {
  readonly key: string;
  /** What a database calls itself: its epoch. */
  readonly deployment: string;
}

/**
 * Says whose index the keys of a prefix are; the first database that comes has them. Two databases in one index would
 * hand off, and forget, each other's timers. Throws `RedisUnfit` when they are another one's.
 */
export const claimIndex = async (client: Redis | Cluster, { key, deployment }: Claim): Promise<void> => {
  const holder = (await client.get(key)) ?? (await client.set(key, deployment, 'NX', 'GET')) ?? deployment;
  if (holder === deployment) return;
  throw new RedisUnfit({
    code: 'redis/shared',
    message:
      'the keys of REDIS_PREFIX in this Redis are the index of another database: set REDIS_PREFIX to a name of its own; ' +
      `or, if this database took the place of that one (restored from a backup), delete the key ${key} (redis-cli DEL '${key}'), and the index is made anew`,
  });
};
