import type { Redis } from 'ioredis';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { random } from '../../../../server/adapter/machine/random.ts';
import { systemClock } from '../../../../server/adapter/machine/system-clock.ts';
import { RedisDueIndex } from '../../../../server/adapter/redis/index/redis-due-index.ts';
import { createRedisClient } from '../../../../server/adapter/redis/link/redis-client.ts';
import type { RedisTrouble } from '../../../../server/adapter/redis/link/redis-trouble.ts';
import { beginGeneration } from '../../../support/engine/due-index.ts';
import { freePort, type RedisServer, startRedis } from '../../../support/redis/redis-server.ts';

const REPLICA = ['--replicaof', '127.0.0.1', '1'];
const REASON = 'redis/read-only';

describe.skipIf(inject('redisUrl') === '')('a Redis that must not be used', () => {
  const stops: (() => Promise<void> | void)[] = [];
  const servers = async (port: number, flags: readonly string[] = []): Promise<RedisServer> => {
    const server = await startRedis({ port, flags });
    stops.push(() => server.stop());
    return server;
  };
  const indexAt = (port: number, said: string[], urls = 1) => {
    const client = createRedisClient(Array(urls).fill(`redis://127.0.0.1:${port}`).join(','));
    const names = { prefix: random.uniqueName(), consumer: random.uniqueName(), shards: 2 };
    const report = (trouble: RedisTrouble | undefined): void => {
      if (trouble && trouble.code !== 'redis/away') said.push(trouble.code);
    };
    const index = new RedisDueIndex({ client, clock: systemClock, report, ...names });
    stops.push(() => index.stop());
    return { index, client };
  };
  const works = async (index: RedisDueIndex): Promise<void> => {
    await vi.waitFor(() => expect(index.isAvailable).toBe(true), { timeout: 10_000 });
    await beginGeneration(index, { number: 1, shards: 2 });
    expect(await index.orders.put([{ timerId: '1', owner: 'ann', fireAtMs: 1, revision: 1 }])).toBe(true);
  };
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  it('stays unused when it appears later, and is used when it was set right', async () => {
    const [port, said] = [await freePort(), [] as string[]];
    const { index, client } = indexAt(port, said);
    await index.start();
    expect(index.isAvailable).toBe(false);
    await servers(port, REPLICA);
    await vi.waitFor(() => expect(said).toContain(REASON), { timeout: 10_000 });
    const looks = vi.spyOn(client, 'info');
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(4), { timeout: 10_000 });
    expect(index.isAvailable).toBe(false);
    await expect(index.orders.put([{ timerId: '1', owner: 'ann', fireAtMs: 1, revision: 1 }])).rejects.toThrow(
      'unavailable',
    );
    expect(await client.dbsize()).toBe(0);
    await client.replicaof('NO', 'ONE');
    await works(index);
  });

  it('is found out when it takes the place of a good one', async () => {
    const [port, said] = [await freePort(), [] as string[]];
    const good = await servers(port);
    const { index } = indexAt(port, said);
    await index.start();
    await works(index);
    await good.stop();
    await servers(port, REPLICA);
    await vi.waitFor(() => expect(said).toContain(REASON), { timeout: 10_000 });
    expect(index.isAvailable).toBe(false);
  });

  it.each([1, 2])(
    'is awaited by no start if it is a Cluster that is not in order, and is used later: %i URLs',
    async (urls) => {
      const port = await freePort();
      const flags = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];
      await servers(port, [...flags, '--cluster-port', String(await freePort())]);
      const admin = createRedisClient(`redis://127.0.0.1:${port}`) as Redis;
      stops.push(() => admin.disconnect());
      await admin.connect();
      // Half of the slots: the Cluster refuses commands (`cluster_state:fail`).
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', 0, 8191);
      const { index } = indexAt(port, [], urls);
      await index.start();
      expect(index.isAvailable).toBe(false);
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', 8192, 16_383);
      await works(index);
    },
  );
});
