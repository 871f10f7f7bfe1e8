import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisServer } from '../../support/redis/redis-server.ts';
import { until } from '../play/within.ts';
import { onDatabase } from '../world/world.ts';
import type { Scenario, Strike } from './scenario.ts';

/** Of the Cluster; each has a replica. */
const MASTERS = 3;
const servers = { roles: ['gateway', 'gateway', 'worker'], redis: 'single', othersGoOn: true } as const;

/** What happens to Redis. */
export const redisScenarios: readonly Scenario[] = [
  {
    name: 'FLUSHALL',
    speaksFor: [
      { row: 5, of: 'losses of the index under load', times: 1 },
      { row: 11, of: 'FLUSHALLs, max 7 s late', times: 3 },
    ],
    ...servers,
    boundMs: 7_000,
    strike: async ({ world, random }) => {
      for (let times = 0; times < 3; times += 1) {
        await onRedis(redisOf(world), (client) => client.flushall());
        await pass(random.below(3_000));
      }
      return {};
    },
  },
  {
    name: 'Redis away for 20 s',
    speaksFor: [
      { row: 5, of: 'losses of the index under load', times: 1 },
      { row: 11, of: 'times Redis away, max 10 s late', times: 1 },
    ],
    ...servers,
    boundMs: 10_000,
    strike: async ({ world }) => {
      const redis = redisOf(world);
      await redis.kill();
      await pass(20_000);
      await redis.restart();
      return {};
    },
  },
  {
    name: 'Redis restored from an old copy',
    speaksFor: [{ row: 5, of: 'losses of the index under load', times: 1 }],
    ...servers,
    boundMs: 10_000,
    strike: async ({ world }) => {
      const redis = redisOf(world);
      const [dump, copy] = ['dump.rdb', 'copy.rdb'].map((name) => path.join(redis.dir, name)) as [string, string];
      await onRedis(redis, (client) => client.save());
      copyFileSync(dump, copy);
      await pass(4_000);
      await redis.kill();
      copyFileSync(copy, dump);
      await redis.restart();
      return {};
    },
  },
  {
    name: 'Cluster master killed',
    // Nothing that it acknowledged is lost with it: the partition (test/chaos/partition) is about that.
    speaksFor: [],
    ...servers,
    redis: 'cluster',
    boundMs: 10_000,
    strike: async ({ world, random }) => {
      const at = random.below(MASTERS);
      const [master, replica] = [redisOf(world, at), redisOf(world, at + MASTERS)];
      await master.kill();
      await pass(6_000);
      const [role] = await onRedis(replica, (client) => client.role());
      await master.restart();
      return { counted: [{ row: 11, of: 'failovers of a master, max 10 s late', times: role === 'master' ? 1 : 0 }] };
    },
  },
  {
    name: 'reshard',
    speaksFor: [{ row: 5, of: 'reshards under load', times: 3 }],
    ...servers,
    roles: ['gateway', 'gateway', 'worker', 'worker'],
    boundMs: 7_000,
    strike: async ({ world, random }) => {
      for (const shards of [5, 32, 1 + random.below(64)]) {
        await onDatabase(world, (client) => client.query('update kibble.timer_index set wanted_shards = $1', [shards]));
        await pass(1_500 + random.below(1_000));
        // The beginning of the next generation takes the wish away.
        await onDatabase(world, (client) =>
          until('the servers follow', 10_000, async () => {
            const { rowCount } = await client.query('select from kibble.timer_index where wanted_shards is null');
            return rowCount === 1;
          }),
        );
      }
      return {};
    },
  },
];

/** What the tests have no time for. */
export const longRedisScenarios: readonly Scenario[] = [
  {
    name: 'Redis frozen for 8 s',
    speaksFor: [{ row: 5, of: 'times Redis frozen under load', times: 1 }],
    ...servers,
    boundMs: 10_000,
    strike: async ({ world }) => {
      const { pid } = redisOf(world);
      process.kill(pid, 'SIGSTOP');
      await pass(8_000);
      process.kill(pid, 'SIGCONT');
      return {};
    },
  },
  {
    name: 'reshard while Redis is emptied and a worker killed',
    speaksFor: [{ row: 5, of: 'losses of the index under load', times: 1 }],
    ...servers,
    roles: ['gateway', 'gateway', 'worker', 'worker'],
    boundMs: 7_000,
    strike: async ({ world, random }) => {
      const node = world.node(random.pick(['worker-1', 'worker-2']));
      await onDatabase(world, (client) => client.query('update kibble.timer_index set wanted_shards = 7'));
      await pass(random.below(1_200));
      await onRedis(redisOf(world), (client) => client.flushall());
      await node.kill();
      await pass(5_000);
      return { node };
    },
  },
];

const redisOf = (world: Strike['world'], at = 0): RedisServer => {
  const server = world.redis[at];
  if (!server) throw new Error('there is no Redis');
  return server;
};

const onRedis = async <Found>(server: RedisServer, work: (client: Redis) => Promise<Found>): Promise<Found> => {
  const client = new Redis(server.url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
};
