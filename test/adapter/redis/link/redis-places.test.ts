import tls from 'node:tls';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { startAt, talks, works } from '../../../support/redis/index-on-redis.ts';
import { authority, type RedisCluster, startRedisCluster } from '../../../support/redis/redis-cluster.ts';
import { startSentinels } from '../../../support/redis/redis-sentinels.ts';

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
