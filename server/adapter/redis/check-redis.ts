import { Cluster, type Redis } from 'ioredis';

const OLDEST_MAJOR = 7;

/** Refuses a server on which the index would not be safe. Throws `RedisUnfit`; other errors mean that it is away. */
export const checkRedis = async (client: Redis | Cluster): Promise<void> => {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  for (const node of nodes) {
    const info = parse(`${await node.info('server')}\n${await node.info('memory')}`);
    const version = info.get('redis_version') ?? 'unknown';
    if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
      throw new RedisUnfit(`Redis ${version} is too old: ${OLDEST_MAJOR} or newer is needed`);
    }
    const policy = info.get('maxmemory_policy');
    if (policy !== undefined && policy !== 'noeviction') {
      throw new RedisUnfit(`Redis would evict timers: set maxmemory-policy to noeviction (it is ${policy})`);
    }
  }
};

export class RedisUnfit extends Error {
  override readonly name = 'RedisUnfit';
  readonly code = 'redis/unfit';
  readonly retryable = false;
}

const parse = (info: string): Map<string, string> =>
  new Map(
    info
      .split(/\r?\n/)
      .map((line) => line.split(':'))
      .flatMap(([name, value]) => (name && value !== undefined ? [[name, value] as const] : [])),
  );
