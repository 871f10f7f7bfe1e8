import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../../server/adapter/machine/system-clock.ts';
import { RedisDueIndex } from '../../../../server/adapter/redis/index/redis-due-index.ts';
import { createRedisClient } from '../../../../server/adapter/redis/link/redis-client.ts';
import { RedisEventChannel } from '../../../../server/adapter/redis/redis-event-channel.ts';
import { RedisLiveNodes } from '../../../../server/adapter/redis/redis-live-nodes.ts';
import { commitOf } from '../../../../server/home/model/commit.ts';
import { newHome } from '../../../../shared/home.ts';
import { silentNetwork, startRelay } from '../../../support/machine/relay.ts';
import { startAt, works } from '../../../support/redis/index-on-redis.ts';
import { startRedis } from '../../../support/redis/redis-server.ts';

const redis = async (...flags: string[]) => {
  const server = await startRedis({ flags });
  onTestFinished(() => server.stop());
  return server;
};

const channelAt = async (url: string, process: string) => {
  const channel = new RedisEventChannel({
    client: createRedisClient(url),
    clock: systemClock,
    names: { prefix: 'talk' },
    process,
  });
  onTestFinished(() => channel.stop());
  await channel.start();
  return channel;
};

describe.skipIf(inject('redisUrl') === '')('connections are replaced', { timeout: 60_000 }, () => {
  it('that carry nothing any more, without an error: those of the index, of its hints, and of the commits', async () => {
    const { url } = await redis();
    const network = await silentNetwork(url);
    onTestFinished(() => network.stop());
    const started = await startAt(network.url);
    const [here, there] = [await channelAt(network.url, 'here'), await channelAt(url, 'there')];
    started.index.replaceWith(...here.clients);
    await works(started);
    network.fallSilent();
    await vi.waitFor(() => expect(started.index.isAvailable).toBe(false), { timeout: 10_000 });
    await vi.waitFor(() => expect(started.index.isAvailable).toBe(true), { timeout: 10_000 });
    await works(started);
    const heard = { here: 0, there: 0 };
    here.subscribe('ann', () => (heard.here += 1));
    there.subscribe('ann', () => (heard.there += 1));
    const home = newHome('ann');
    await vi.waitFor(() => {
      for (const each of [here, there]) each.publish(commitOf(home, home, { events: [], nowMs: 1, answers: [] }));
      // Both ways: each has connections of its own.
      expect(Math.min(heard.here, heard.there)).toBeGreaterThan(0);
    });
  });

  it('to a master that became a replica: its name may lead to the new master', async () => {
    const [first, second] = [await redis(), await redis()];
    let master = first;
    const relay = await startRelay(first.url, (client, server) => {
      server.destroy();
      const to = connect(master.port, '127.0.0.1');
      for (const each of [to, client])
        each.on('error', () => undefined).on('close', () => [to, client].map((one) => one.destroy()));
      client.pipe(to);
      to.pipe(client);
    });
    onTestFinished(() => relay.stop());
    const started = await startAt(relay.url);
    await works(started);
    const admin = new Redis(first.url);
    onTestFinished(() => admin.disconnect());
    await admin.replicaof('127.0.0.1', second.port);
    master = second;
    await vi.waitFor(
      () => expect(started.said).toContain('redis (REDIS_URL) names a read-only replica: name the master'),
      {
        timeout: 10_000,
      },
    );
    await vi.waitFor(() => expect(started.index.isAvailable).toBe(true), { timeout: 10_000 });
    await works(started);
  });
});

describe.skipIf(inject('redisUrl') === '')('a start that follows one that failed', { timeout: 60_000 }, () => {
  it('watches its Redis as any other', async () => {
    const [master, replica] = [await redis(), await redis()];
    const admin = new Redis(replica.url);
    onTestFinished(() => admin.disconnect());
    await admin.replicaof('127.0.0.1', master.port);
    const client = createRedisClient(replica.url);
    const index = new RedisDueIndex({ client, clock: systemClock, prefix: 'kibble', shards: 2, consumer: 'me' });
    onTestFinished(() => index.stop());
    await expect(index.start('one')).rejects.toThrow('read-only replica');
    await admin.replicaof('NO', 'ONE');
    await index.start('one');
    await admin.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await vi.waitFor(() => expect(index.isAvailable).toBe(false), { timeout: 10_000 });
    await vi.waitFor(() => expect([index.trouble, client.status]).toEqual([undefined, 'ready']), { timeout: 10_000 });
  });
});

describe.skipIf(inject('redisUrl') === '')('a Redis with the keys of another database', { timeout: 60_000 }, () => {
  it('gets no heartbeat of a process that started while it was away', async () => {
    const { url } = await redis();
    let isOpen = false;
    const relay = await startRelay(url, (client, server) => {
      if (!isOpen) return void client.destroy();
      client.pipe(server);
      server.pipe(client);
    });
    onTestFinished(() => relay.stop());
    const indexOf = (deployment: string, at: string) => {
      const client = createRedisClient(at);
      const index = new RedisDueIndex({
        client,
        clock: systemClock,
        prefix: 'kibble',
        shards: 2,
        consumer: deployment,
      });
      onTestFinished(() => index.stop());
      return { index, nodes: new RedisLiveNodes({ client, inUse: index.inUse, self: deployment }) };
    };
    const [first, late] = [indexOf('one', url), indexOf('two', relay.url)];
    await first.index.start('one');
    await late.index.start('two');
    isOpen = true;
    await vi.waitFor(() => expect(late.index.trouble?.code).toBe('redis/shared'), { timeout: 10_000 });
    await expect(late.nodes.heartbeat()).rejects.toThrow('unavailable');
    expect(await first.nodes.heartbeat()).toEqual(['one']);
  });
});
