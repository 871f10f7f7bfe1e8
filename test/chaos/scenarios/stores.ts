import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisServer } from '../../support/redis/redis-server.ts';
import { onDatabase } from '../world/world.ts';
import type { Scenario, Strike } from './scenario.ts';

const servers = { roles: ['gateway', 'gateway', 'worker'], redis: 'single', othersGoOn: true } as const;
const POSTGRES_AWAY_MS = 3_000;

/** What happens to Redis and Postgres. */
export const storeScenarios: readonly Scenario[] = [
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
    speaksFor: [
      { row: 14, of: 'failovers', times: 1 },
      { row: 11, of: 'failovers of a master, max 10 s late', times: 1 },
    ],
    ...servers,
    redis: 'cluster',
    boundMs: 10_000,
    strike: async ({ world, random }) => {
      const master = world.redis[random.below(3)];
      await master?.kill();
      await pass(6_000);
      await master?.restart();
      return {};
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
      }
      await onDatabase(world, async (client) => {
        const { rows } = await client.query('select generation from kibble.timer_index');
        // The first one, and three more.
        if (rows[0].generation < 4) throw new Error('the servers did not follow');
      });
      return {};
    },
  },
  {
    name: 'Postgres killed',
    speaksFor: [
      { row: 15, of: 'times Postgres killed', times: 1 },
      { row: 11, of: 'times Postgres away, max 5 s late beyond that', times: 1 },
    ],
    ...servers,
    othersGoOn: false,
    boundMs: 5_000,
    strike: async ({ world: { postgres } }) => {
      const killedAtMs = performance.now();
      await postgres.kill();
      await pass(POSTGRES_AWAY_MS);
      await postgres.restart();
      return { awayMs: performance.now() - killedAtMs };
    },
  },
];

const KILLS = 100;

/** What the tests have no time for. */
export const furtherScenarios: readonly Scenario[] = [
  {
    name: 'killed again and again',
    speaksFor: [{ row: 13, of: 'kills', times: KILLS }],
    ...servers,
    roles: ['all', 'all', 'worker'],
    boundMs: 7_000,
    // At times nobody is there who could answer.
    othersGoOn: false,
    strike: async ({ world, random }) => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const node = world.node(random.pick(['all-1', 'all-2', 'worker-1']));
        await node.kill();
        await node.restart();
        await pass(random.below(1_000));
      }
      return {};
    },
  },
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

const redisOf = (world: Strike['world']): RedisServer => {
  const [server] = world.redis;
  if (!server) throw new Error('there is no Redis');
  return server;
};

const onRedis = async (server: RedisServer, work: (client: Redis) => Promise<unknown>): Promise<void> => {
  const client = new Redis(server.url);
  try {
    await work(client);
  } finally {
    client.disconnect();
  }
};
