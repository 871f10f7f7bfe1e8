import { random } from '../adapter/machine/random.ts';
import { machineWitnesses } from '../adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../adapter/memory/memory-due-index.ts';
import type { Database } from '../adapter/postgres/database.ts';
import { PostgresGenerations } from '../adapter/postgres/timer/generations.ts';
import { RedisDueIndex } from '../adapter/redis/index/redis-due-index.ts';
import { OutageLog } from '../adapter/redis/link/outage-log.ts';
import { createRedisClient } from '../adapter/redis/link/redis-client.ts';
import { RedisEventChannel } from '../adapter/redis/redis-event-channel.ts';
import { RedisLiveNodes } from '../adapter/redis/redis-live-nodes.ts';
import { redisWitness } from '../adapter/redis/redis-witness.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import { loneNode } from '../timer/dispatch/live-nodes.ts';
import { OwnGenerations } from '../timer/index/generation.ts';

interface Options {
  readonly database: Database;
  /** URLs of a Redis, or of nodes of a Cluster. Undefined: the timing wheel, and no other processes. */
  readonly redis?: string;
  readonly redisPrefix?: string;
  readonly shards?: number;
  readonly log: EngineLog;
}

/** The due index, who hands its shards off, which life of it counts, which clocks there are, and how other processes hear of commits. */
export const indexOf = (options: Options, clock: Clock) => {
  const { database, redis, redisPrefix: prefix = 'kibble', shards = 16, log } = options;
  if (redis === undefined) {
    return {
      index: new MemoryDueIndex(clock),
      nodes: loneNode,
      generations: new OwnGenerations(),
      channel: undefined,
      witnesses: machineWitnesses,
    };
  }
  const self = random.uniqueName();
  const client = createRedisClient(redis);
  const report = new OutageLog({ clock, log }).note;
  const index = new RedisDueIndex({ client, clock, prefix, shards, consumer: self, report });
  return {
    index,
    nodes: new RedisLiveNodes({ client, prefix, self }),
    generations: new PostgresGenerations(database),
    witnesses: [...machineWitnesses, redisWitness(client)],
    channel: new RedisEventChannel({ client: createRedisClient(redis), names: index.inUse, process: self }),
  };
};
