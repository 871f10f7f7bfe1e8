import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { random } from '../../../server/adapter/machine/random.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresGenerations } from '../../../server/adapter/postgres/timer/generations.ts';
import { raisePulse } from '../../../server/timer/index/generation-chores.ts';
import { countOf } from '../../support/engine/due-index.ts';
import { kindsOf } from '../../support/engine/kinds.ts';
import { orders, runningEngine } from '../../support/engine/running-engine.ts';
import { createTimerDatabase } from '../../support/postgres/timer-database.ts';
import { type RedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.ts';
import { type RedisServer, startRedis } from '../../support/redis/redis-server.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(inject('redisUrl') === '')('a Redis that comes back', () => {
  let database: Awaited<ReturnType<typeof createTimerDatabase>>;
  const stops: (() => Promise<void>)[] = [];
  const startNode = async (url: string) => {
    const prefix = random.uniqueName();
    const node = await runningEngine({ pool: database.pool, prefix, url });
    stops.push(node.stop);
    await node.store.registerKinds(kindsOf('order'));
    await node.engine.start();
    const stateIs = (state: object) =>
      vi.waitFor(async () => expect(await node.engine.indexOperations.state()).toMatchObject(state), {
        timeout: 15_000,
      });
    await stateIs({ isWhole: true, generation: 2 });
    const schedule = async (delayMs: number) =>
      node.engine.timers.schedule(orders(50, delayMs, await node.store.nowMs()));
    /** As many seconds in the life of an index. */
    const count = async (pulses: number) => {
      const generations = new PostgresGenerations(new Database({ pool: database.pool, schema: 'kibble' }));
      const parts = { index: node.index, generations, isIndexWhole: () => true };
      for (let pulse = 0; pulse < pulses; pulse += 1) await raisePulse(parts)();
    };
    return { ...node, prefix, stateIs, schedule, count };
  };
  type Node = Awaited<ReturnType<typeof startNode>>;
  /** From now on a start of the server loads what there is now. */
  const keepCopy = async (server: RedisServer): Promise<void> => {
    const client = new Redis(server.url);
    await client.save();
    client.disconnect();
  };
  const hasKeysOf = async (server: RedisServer, prefix: string): Promise<boolean> => {
    const client = new Redis(server.url);
    const names = await client.keys(`{${prefix}:*`);
    client.disconnect();
    return names.length > 0;
  };
  const crash = async (server: RedisServer, { index }: Node): Promise<void> => {
    await server.kill();
    await vi.waitFor(() => expect(index.isAvailable).toBe(false), { timeout: 5000 });
    await server.restart();
  };
  const restoresAnOldCopy = async (node: Node, server: RedisServer): Promise<void> => {
    await node.schedule(HOUR_MS);
    await keepCopy(server);
    await node.count(5);
    await node.schedule(2 * HOUR_MS);
    await crash(server, node);
    await node.stateIs({ isWhole: true, generation: 3 });
    expect(await countOf(node.index)).toBe(100);
  };
  beforeEach(async () => {
    database = await createTimerDatabase(inject('postgresUrl'));
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await database.dispose();
  });

  it('from an old copy of the generation in force is known by its pulse, and refilled', async () => {
    const server = await startRedis();
    await restoresAnOldCopy(await startNode(server.url), server);
    await server.stop();
  });

  it('with all it had is not refilled', async () => {
    const server = await startRedis({ appendonly: true, flags: ['--appendfsync', 'always'] });
    const node = await startNode(server.url);
    await node.schedule(HOUR_MS);
    await node.count(5);
    await crash(server, node);
    await node.stateIs({ isWhole: true, generation: 2 });
    expect(await countOf(node.index)).toBe(50);
    await server.stop();
  });

  it('without its last two seconds is not refilled, and gets back what it lost in them', async () => {
    const server = await startRedis();
    const node = await startNode(server.url);
    await node.count(5);
    await keepCopy(server);
    await node.schedule(30_000);
    await crash(server, node);
    await node.stateIs({ isWhole: true, generation: 2 });
    await vi.waitFor(async () => expect(await countOf(node.index)).toBe(50), { timeout: 5000 });
    await server.stop();
  });

  describe('as a Cluster', () => {
    let cluster: RedisCluster;
    beforeAll(async () => {
      cluster = await startRedisCluster();
    });
    afterAll(() => cluster.stop());

    it('of which one master comes back from an old copy is known by that master’s shards', async () => {
      const node = await startNode(cluster.url);
      for (const server of cluster.servers) {
        if (await hasKeysOf(server, node.prefix)) return restoresAnOldCopy(node, server);
      }
      expect.unreachable('no master has a shard');
    });
  });
});
