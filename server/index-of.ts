import { MemoryDueIndex } from './adapter/memory/memory-due-index.ts';
import { random } from './adapter/random.ts';
import { createRedisClient } from './adapter/redis/redis-client.ts';
import { RedisDueIndex } from './adapter/redis/redis-due-index.ts';
import { RedisEventChannel } from './adapter/redis/redis-event-channel.ts';
import { RedisLiveNodes } from './adapter/redis/redis-live-nodes.ts';
import type { Clock } from './timer/clock.ts';
import { loneNode } from './timer/lone-node.ts';

interface Options {
  /** URLs of a Redis, or of nodes of a Cluster. Undefined: the timing wheel, and no other processes. */
  readonly redis?: string;
  readonly redisPrefix?: string;
  readonly shards?: number;
}

/** The due index, who hands its shards off, and how other processes hear of commits. Nothing connects yet. */
export const indexOf = ({ redis, redisPrefix: prefix = 'kibble', shards = 16 }: Options, clock: Clock) => {
  if (redis === undefined) return { index: new MemoryDueIndex(clock), nodes: loneNode, channel: undefined };
  const self = random.uniqueName();
  const client = createRedisClient(redis);
  return {
    index: new RedisDueIndex({ client, clock, prefix, shards, consumer: self }),
    nodes: new RedisLiveNodes({ client, prefix, self }),
    channel: new RedisEventChannel({ client: createRedisClient(redis), prefix, shards, process: self }),
  };
};
