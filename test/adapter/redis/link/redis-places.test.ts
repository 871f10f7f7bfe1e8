import tls from 'node:tls';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { random } from '../../../../server/adapter/machine/random.ts';
import { systemClock } from '../../../../server/adapter/machine/system-clock.ts';
import { RedisDueIndex } from '../../../../server/adapter/redis/index/redis-due-index.ts';
import { createRedisClient } from '../../../../server/adapter/redis/link/redis-client.ts';
import type { RedisTrouble } from '../../../../server/adapter/redis/link/redis-trouble.ts';
import { RedisEventChannel } from '../../../../server/adapter/redis/redis-event-channel.ts';
import { RedisLiveNodes } from '../../../../server/adapter/redis/redis-live-nodes.ts';
import type { Commit } from '../../../../server/home/model/commit.ts';
import { beginGeneration } from '../../../support/engine/begin-generation.ts';
import { countOf } from '../../../support/engine/count-of.ts';
import { type RedisCluster, startRedisCluster } from '../../../support/redis/redis-cluster.ts';
import { startSentinels } from '../../../support/redis/redis-sentinels.ts';
import { authority } from '../../../support/redis/tls-files.ts';

const NOW_MS = 1_790_000_000_000;
const SHARDS = 8;
const never = new AbortController().signal;

const entries = Array.from({ length: 200 }, (_, at) => ({
  timerId: String(at + 1),
  owner: `player-${at}`,
  fireAtMs: NOW_MS,
  revision: 1,
}));

/** An index with this REDIS_URL, started. */
const startAt = async (url: string) => {
  const client = createRedisClient(url);
  const said: string[] = [];
  const report = (trouble: RedisTrouble | undefined): void => void (trouble && said.push(trouble.message));
  const [prefix, consumer] = [random.uniqueName(), random.uniqueName()];
  const index = new RedisDueIndex({ client, clock: systemClock, prefix, shards: SHARDS, consumer, report });
  onTestFinished(() => index.stop());
  await index.start('one');
  return { index, client, said, prefix, nodes: new RedisLiveNodes({ client, prefix, self: 'me' }) };
};
type Started = Awaited<ReturnType<typeof startAt>>;

/** Each part of the index does its work, in all shards. */
const works = async ({ index, nodes }: Started): Promise<void> => {
  const number = index.inUse.number + 1;
  await beginGeneration(index, { number, shards: SHARDS });
  const isWoken = new Promise<void>((resolve) => void index.handOffs.onEarlierHead(() => resolve()));
  expect(await index.orders.put(entries)).toBe(true);
  await isWoken;
  expect(await countOf(index)).toBe(entries.length);
  for (let shard = 0; shard < SHARDS; shard += 1) await index.handOffs.handOff(shard, NOW_MS, 500);
  const received = await index.queue.receive(10_000, 0, never);
  expect(received.flatMap(({ timers }) => timers)).toHaveLength(entries.length);
  await index.queue.ack(received);
  expect(await nodes.heartbeat()).toEqual(['me']);
};

/** What one process publishes on this Redis is heard by another. */
const talks = async (url: string): Promise<void> => {
  const channel = async (process: string) => {
    const made = new RedisEventChannel({ client: createRedisClient(url), names: { prefix: 'talk' }, process });
    onTestFinished(() => made.stop());
    await made.start();
    return made;
  };
  const [here, there] = [await channel('here'), await channel('there')];
  const heard: Commit[] = [];
  there.subscribe('ann', (commit) => heard.push(commit));
  const commit = { playerId: 'ann', seq: 1, events: [] } as unknown as Commit;
  await vi.waitFor(() => {
    here.publish(commit);
    expect(heard[0]).toEqual(commit);
  });
};

describe.skipIf(inject('redisUrl') === '')('REDIS_URL names', { timeout: 60_000 }, () => {
  describe('a Cluster', () => {
    let cluster: RedisCluster;
    beforeAll(async () => {
      cluster = await startRedisCluster();
    });
    afterAll(() => cluster.stop());

    it('by one of its addresses, whichever: all of its nodes are used', async () => {
      for (const url of cluster.url.split(',')) {
        const started = await startAt(url);
        await works(started);
        expect(started.said).toEqual([]);
      }
      await talks(cluster.url.split(',')[0] ?? '');
      await talks(cluster.url);
      const keys = await Promise.all(
        cluster.servers.map(async ({ url }) => {
          const node = new Redis(url);
          onTestFinished(() => node.disconnect());
          return node.dbsize();
        }),
      );
      expect(Math.min(...keys)).toBeGreaterThan(0);
    });
  });

  describe('a Cluster with TLS whose certificate has a name and no address', () => {
    let cluster: RedisCluster;
    const trusted = tls.getCACertificates('default');
    beforeAll(async () => {
      cluster = await startRedisCluster({ isTls: true });
    });
    afterAll(async () => {
      tls.setDefaultCACertificates(trusted);
      await cluster.stop();
    });

    it('whose authority nobody trusts: that is what the trouble says, and it ends nothing', async () => {
      for (const url of [cluster.url, cluster.url.split(',')[0] ?? '']) {
        const { index, said } = await startAt(url);
        expect(index).toMatchObject({ isAvailable: false, trouble: { code: 'redis/untrusted' } });
        await vi.waitFor(() => expect(said.length).toBeGreaterThan(20), { timeout: 30_000 });
        expect(new Set(said)).toEqual(new Set([index.trouble?.message]));
        expect(index.trouble?.message).toMatch(/self-signed certificate .*NODE_EXTRA_CA_CERTS/);
      }
    });

    it('by all of its addresses, or by one', async () => {
      tls.setDefaultCACertificates([...trusted, authority]);
      for (const url of [cluster.url, cluster.url.split(',')[0] ?? '']) {
        const started = await startAt(url);
        await works(started);
        expect(started.said).toEqual([]);
        await talks(url);
      }
    });

    it('by addresses that stand in no certificate', async () => {
      tls.setDefaultCACertificates([...trusted, authority]);
      const { index } = await startAt(cluster.url.replaceAll('localhost', '127.0.0.1'));
      expect(index.trouble).toMatchObject({
        code: 'redis/untrusted',
        message: expect.stringContaining('does not match certificate'),
      });
    });
  });

  it('Sentinels: the master that they elect takes the place of one that died', async () => {
    const { url, servers, stop } = await startSentinels();
    onTestFinished(stop);
    const started = await startAt(url);
    await works(started);
    await talks(url);
    await servers[0].kill();
    await vi.waitFor(() => expect(started.index.isAvailable).toBe(false), { timeout: 10_000 });
    await vi.waitFor(() => expect(started.index.isAvailable).toBe(true), { timeout: 30_000 });
    await works(started);
    await talks(url);
  });

  it('Sentinels that are not there: the start does not wait for them, and the trouble names them', async () => {
    const { index } = await startAt('redis+sentinel://127.0.0.1:9/game,redis+sentinel://127.0.0.1:10/game');
    expect(index.trouble).toMatchObject({ code: 'redis/away', message: expect.stringContaining('sentinel') });
  });
});
