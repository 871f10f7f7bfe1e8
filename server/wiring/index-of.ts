import type { Cluster, Redis } from 'ioredis';
import { random } from '../adapter/machine/random.ts';
import { machineWitnesses } from '../adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../adapter/memory/memory-due-index.ts';
import type { Database } from '../adapter/postgres/database.ts';
import { readEpoch } from '../adapter/postgres/schema/epoch.ts';
import { PostgresGenerations } from '../adapter/postgres/timer/generations.ts';
import { RedisDueIndex } from '../adapter/redis/index/redis-due-index.ts';
import { createRedisClient } from '../adapter/redis/link/redis-client.ts';
import { OutageLog, type RedisTrouble } from '../adapter/redis/link/redis-trouble.ts';
import { RedisEventChannel } from '../adapter/redis/redis-event-channel.ts';
import { RedisLiveNodes } from '../adapter/redis/redis-live-nodes.ts';
import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import type { ClockWitness } from '../timer/clock/clock-watch.ts';
import type { LiveNodes } from '../timer/dispatch/live-nodes.ts';
import { loneNode } from '../timer/dispatch/live-nodes.ts';
import type { DueIndex } from '../timer/index/due-index.ts';
import type { Generations } from '../timer/index/generation.ts';
import { OwnGenerations } from '../timer/index/generation.ts';

interface Options {
  readonly database: Database;
  /** URLs of a Redis, or of nodes of a Cluster. Undefined: the timing wheel, and no other processes. */
  readonly redis?: string;
  readonly redisPrefix?: string;
  readonly shards?: number;
  readonly log: EngineLog;
}

/** The due index of a process, and its companions. */
export interface WiredIndex {
  readonly index: DueIndex;
  /** The nodes that share its shards. */
  readonly nodes: LiveNodes;
  readonly generations: Generations;
  readonly witnesses: readonly ClockWitness[];
  /** Brings the commits of other processes. */
  readonly channel: RedisEventChannel | undefined;
  /** The index is the timing wheel, so no other process can use it. */
  readonly isAlone: boolean;
  /** The present trouble with Redis; undefined if all is well. */
  trouble(): RedisTrouble | undefined;
  /** Call it after the tables exist. Throws if Redis is unfit; a Redis that is away is awaited. */
  start(): Promise<void>;
  stop(): void;
}

/** Connects nothing before `start`. */
export const indexOf = (options: Options, clock: Clock): WiredIndex =>
  options.redis === undefined ? wheelOf(clock) : redisIndexOf(options.redis, options, clock);

const wheelOf = (clock: Clock): WiredIndex => ({
  index: new MemoryDueIndex(clock),
  nodes: loneNode,
  generations: new OwnGenerations(),
  witnesses: machineWitnesses,
  channel: undefined,
  isAlone: true,
  trouble: () => undefined,
  start: async () => undefined,
  stop: () => undefined,
});

const redisIndexOf = (redis: string, options: Options, clock: Clock): WiredIndex => {
  const { database, redisPrefix: prefix = 'kibble', shards = 16, log } = options;
  const self = random.uniqueName();
  const client = createRedisClient(redis);
  const report = new OutageLog({ clock, log }).note;
  const index = new RedisDueIndex({ client, clock, prefix, shards, consumer: self, report });
  const names = index.inUse;
  const channel = new RedisEventChannel({ client: createRedisClient(redis), clock, names, process: self });
  index.replaceWith(...channel.clients);
  return {
    index,
    nodes: new RedisLiveNodes({ client, inUse: index.inUse, self }),
    generations: new PostgresGenerations(database),
    witnesses: [...machineWitnesses, redisWitness(client)],
    channel,
    isAlone: false,
    trouble: () => index.trouble,
    start: async () => index.start(await readEpoch(database)),
    stop: () => index.stop(),
  };
};

/** Redis' clock, in a Cluster that of any node: nodes in step are one clock; others agree with no clock. */
const redisWitness = (client: Redis | Cluster): ClockWitness => ({
  name: 'redis',
  isSettable: true,
  read: async () => {
    const [seconds = Number.NaN, microseconds = Number.NaN] = (await client.time()).map(Number);
    return seconds * 1000 + microseconds / 1000;
  },
});
