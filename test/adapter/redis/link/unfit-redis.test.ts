import { createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { random } from '../../../../server/adapter/machine/random.ts';
import { systemClock } from '../../../../server/adapter/machine/system-clock.ts';
import { RedisDueIndex } from '../../../../server/adapter/redis/index/redis-due-index.ts';
import { createRedisClient } from '../../../../server/adapter/redis/link/redis-client.ts';
import { beginGeneration, countOf } from '../../../support/engine/due-index.ts';
import { startRedis } from '../../../support/redis/redis-server.ts';

/** Something that speaks just enough of Redis to be asked what it is. `info` is what it says of itself. */
const startFakeRedis = async (info: string): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      // Each command is an array of bulk strings; its name stands on the line after the length of the first.
      for (const [, name = ''] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        socket.write(name.toLowerCase() === 'info' ? `$${info.length}\r\n${info}\r\n` : '+OK\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `redis://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** A server of its own for one test. */
const redis = async (...flags: string[]) => {
  const server = await startRedis({ flags });
  onTestFinished(() => server.stop());
  return server;
};

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** The trouble of an index at its start; undefined: none. */
const startOn = async (url: string, { prefix = 'kibble', deployment = 'one' } = {}) => {
  const client = createRedisClient(url);
  const index = new RedisDueIndex({ client, clock: systemClock, prefix, shards: 2, consumer: random.uniqueName() });
  stops.push(() => index.stop());
  const refusal: unknown = await index.start(deployment).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { index, refusal };
};

/** The trouble at the start with a server that describes itself so. */
const judged = async (info: Readonly<Record<string, string>>): Promise<unknown> => {
  const text = Object.entries(info).map(([name, value]) => `${name}:${value}\r\n`);
  const { url, stop } = await startFakeRedis(text.join(''));
  onTestFinished(stop);
  // It replies OK to everything else, also to the read of the deployment's key.
  return (await startOn(url, { deployment: 'OK' })).refusal;
};

describe.skipIf(inject('redisUrl') === '')('a Redis is refused at the start, and the message says what to do,', () => {
  it.each(['', ':wrong@', 'nobody:wrong@'])(
    'that wants another password than REDIS_URL has: %j',
    async (credentials) => {
      const { port } = await redis();
      const admin = new Redis({ port });
      await admin.config('SET', 'requirepass', 'right');
      admin.disconnect();
      const { refusal } = await startOn(`redis://${credentials}127.0.0.1:${port}`);
      expect(refusal).toMatchObject({ name: 'RedisUnfit', code: 'redis/refused' });
      expect(String(refusal)).toMatch(/password of redis, REDIS_URL \((WRONGPASS|NOAUTH).*\): write .*redis:\/\//);
      expect(String(refusal)).not.toContain('wrong@');
      expect((await startOn(`redis://:right@127.0.0.1:${port}`)).refusal).toBe(undefined);
    },
  );

  it.each(['&* -@scripting -set', '&* -zadd', '&* -time', '&* -xgroup|delconsumer'])(
    'that lets its user do too little: %s',
    async (rules) => {
      const { port } = await redis();
      const admin = new Redis({ port });
      await admin.acl('SETUSER', 'kim', 'on', '>pass', '~*', '+@all', ...rules.split(' '));
      admin.disconnect();
      const { refusal } = await startOn(`redis://kim:pass@127.0.0.1:${port}`);
      const message = expect.stringMatching(/NOPERM|user executing the script|ACL failure in script/);
      expect(refusal).toMatchObject({ code: 'redis/refused', message });
    },
  );

  it('that is a read-only replica', async () => {
    const master = await redis();
    const { url } = await redis('--replicaof', `127.0.0.1 ${master.port}`);
    expect((await startOn(url)).refusal).toMatchObject({
      code: 'redis/read-only',
      message: 'redis (REDIS_URL) names a read-only replica: name the master',
    });
  });

  it('that would evict timers', async () => {
    const { url } = await redis('--maxmemory', '20mb', '--maxmemory-policy', 'allkeys-lru');
    expect((await startOn(url)).refusal).toMatchObject({
      code: 'redis/evicts',
      message: 'Redis would evict timers: set maxmemory-policy to noeviction (it is allkeys-lru)',
    });
  });

  it('that is older than 7', async () => {
    expect(await judged({ redis_version: '6.2.14', role: 'master', maxmemory_policy: 'noeviction' })).toMatchObject({
      code: 'redis/too-old',
      message: 'Redis 6.2.14 is too old: 7 or newer is needed',
    });
  });

  // What these servers say of themselves, as their documents have it; redis-flavours.test.ts runs some.
  const VALKEY_7 = {
    redis_version: '7.2.4',
    server_name: 'valkey',
    valkey_version: '7.2.11',
    redis_mode: 'standalone',
  };
  const VALKEY_8 = { ...VALKEY_7, valkey_version: '8.1.4', server_mode: 'standalone', availability_zone: '' };
  const DRAGONFLY = { redis_version: '7.4.0', dragonfly_version: 'df-v1.31.0', redis_mode: 'standalone' };
  const FULL = { maxmemory: '419430400' };

  it.each([
    ['Valkey 7.2', { ...VALKEY_7, maxmemory: '0', maxmemory_policy: 'noeviction' }],
    [
      'Valkey 8 with its default policy of caches and no bound',
      { ...VALKEY_8, maxmemory: '0', maxmemory_policy: 'allkeys-lru' },
    ],
    ['Valkey 8 that evicts what has a time to live', { ...VALKEY_8, ...FULL, maxmemory_policy: 'volatile-lru' }],
    ['Dragonfly', { ...DRAGONFLY, ...FULL, cache_mode: 'store', maxmemory_policy: 'noeviction' }],
    ['a service that does not tell its policy', { redis_version: '7.2.0', maxmemory: '1' }],
  ])('but not %s', async (_name, info) => {
    expect(await judged({ role: 'master', cluster_enabled: '0', ...info })).toBe(undefined);
  });

  it.each([
    ['Dragonfly as a cache', { ...DRAGONFLY, ...FULL, cache_mode: 'cache', maxmemory_policy: 'eviction' }],
    ['Valkey with allkeys-lfu', { ...VALKEY_8, ...FULL, maxmemory_policy: 'allkeys-lfu' }],
    ['Redis with allkeys-random', { redis_version: '8.2.1', ...FULL, maxmemory_policy: 'allkeys-random' }],
  ])('that would evict timers: %s', async (_name, info) => {
    expect(await judged({ role: 'master', cluster_enabled: '0', ...info })).toMatchObject({ code: 'redis/evicts' });
  });

  it.each([
    ['volatile-lru', '20mb'],
    ['volatile-ttl', '20mb'],
    ['allkeys-lru', '0'],
  ])('but not one whose policy cannot reach a timer: %s with maxmemory %s', async (policy, most) => {
    const { url } = await redis('--maxmemory', most, '--maxmemory-policy', policy);
    expect((await startOn(url)).refusal).toBe(undefined);
  });

  it('where the keys of the prefix are another database’s; deleting the key that it names is the way out', async () => {
    const { url, port } = await redis();
    const ours = { prefix: 'shared', deployment: 'one' };
    const theirs = { prefix: 'shared', deployment: 'two' };
    expect((await startOn(url, ours)).refusal).toBe(undefined);
    expect((await startOn(url, ours)).refusal).toBe(undefined);
    const { refusal } = await startOn(url, theirs);
    expect(refusal).toMatchObject({ code: 'redis/shared', message: expect.stringContaining('REDIS_PREFIX') });
    expect((await startOn(url, { ...theirs, prefix: 'own' })).refusal).toBe(undefined);
    const [, key = ''] = /redis-cli DEL '([^']+)'/.exec(String(refusal)) ?? [];
    const admin = new Redis({ port });
    expect(await admin.del(key)).toBe(1);
    admin.disconnect();
    expect((await startOn(url, theirs)).refusal).toBe(undefined);
    expect((await startOn(url, ours)).refusal).toMatchObject({ code: 'redis/shared' });
  });
});

it.skipIf(inject('redisUrl') === '')(
  'does not take another database’s index for its own, whatever the number',
  async () => {
    const { url, port } = await redis();
    const one = await startOn(url, { deployment: 'one' });
    const generation = { number: 7, shards: 2 };
    await beginGeneration(one.index, generation);
    expect(await one.index.marks.isWhole(0)).toBe(true);
    const admin = new Redis({ port });
    await admin.del('{kibble}deployment');
    admin.disconnect();
    const two = await startOn(url, { deployment: 'two' });
    two.index.inUse.use(generation);
    expect(await two.index.marks.isWhole(0)).toBe(false);
    await beginGeneration(two.index, generation);
    expect(await countOf(two.index)).toBe(0);
  },
);

it.skipIf(inject('redisUrl') === '')('a Redis without room is no reason not to start', async () => {
  const { url } = await redis('--maxmemory', '1kb');
  const { index, refusal } = await startOn(url);
  expect(refusal).toBe(undefined);
  expect(index).toMatchObject({ isAvailable: false, trouble: { code: 'redis/out-of-memory' } });
});
