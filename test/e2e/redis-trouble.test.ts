import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { gameOnRedis } from '../support/game/game-on-redis.ts';
import { prove } from '../support/properties/prove.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';

type Game = Awaited<ReturnType<typeof gameOnRedis>>;

describe.skipIf(inject('redisUrl') === '')('a game whose Redis goes wrong', { timeout: 60_000 }, () => {
  let redis: RedisServer;
  let admin: Redis;
  beforeEach(async () => {
    // ioredis prints errors without a listener there.
    vi.spyOn(console, 'error');
    redis = await startRedis();
    admin = new Redis(redis.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    admin.on('error', () => undefined);
  });
  afterEach(async () => {
    admin.disconnect();
    await redis.stop();
    expect(console.error).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  const is = (game: Game, degraded: readonly string[]): Promise<void> =>
    vi.waitFor(() => expect(game.degraded()).toEqual(degraded), { timeout: 15_000 });
  const players = (name: string, count = 20): readonly string[] =>
    Array.from({ length: count }, (_, at) => `${name}-${at}`);
  /** Everybody eats, and each meal is completed once. */
  const plays = async (game: Game, name: string): Promise<void> => {
    const all = players(name);
    await Promise.all(all.map((player) => game.feed(player)));
    await vi.waitFor(async () => expect(await game.completed(all)).toBe(all.length), { timeout: 15_000 });
  };
  /** Rows and index have the same timers again. */
  const agrees = async (game: Game): Promise<void> => {
    const { rows } = await game.pool.query('select count(*)::int from kibble.timers');
    const counted = async (): Promise<number | undefined> =>
      (await game.kibble.index.state()).inside?.counts.reduce((sum, count) => sum + count, 0);
    await vi.waitFor(async () => expect(await counted()).toBe(rows[0].count), { timeout: 15_000 });
  };
  const linesOf = (game: Game): readonly unknown[] =>
    game.lines.filter(({ level }) => level !== 'info').map(({ code }) => code);
  /** One line when it went wrong, one when that was over, and no other. */
  const saidOnce = async (game: Game, code: string): Promise<void> => {
    await vi.waitFor(() => expect(game.codes()).toContain('redis/back'), { timeout: 10_000 });
    expect(linesOf(game)).toEqual([code]);
    expect(game.codes().filter((said) => said === 'redis/back')).toHaveLength(1);
  };

  it('because it dies and comes back empty', async (context) => {
    const game = await gameOnRedis({ url: redis.url });
    await is(game, []);
    await game.feed('long', 'feast');
    await redis.kill();
    await is(game, ['redis']);
    await plays(game, 'without');
    await redis.restart();
    await is(game, []);
    await plays(game, 'with');
    await agrees(game);
    await saidOnce(game, 'redis/away');
    prove(context, { row: 31, tries: 1, of: 'kinds of trouble with Redis' });
  });

  it('because its password is changed', async (context) => {
    const game = await gameOnRedis({ url: redis.url });
    await is(game, []);
    await admin.config('SET', 'requirepass', 'changed');
    await admin.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await is(game, ['redis']);
    await plays(game, 'without');
    await vi.waitFor(() => expect(game.codes()).toContain('redis/refused'), { timeout: 5000 });
    await admin.config('SET', 'requirepass', '');
    await is(game, []);
    await plays(game, 'with');
    await agrees(game);
    await vi.waitFor(() => expect(game.codes()).toContain('redis/back'), { timeout: 10_000 });
    // That the connection was lost is a line of its own.
    expect(linesOf(game)).toEqual(['redis/away', 'redis/refused']);
    prove(context, { row: 31, tries: 1, of: 'kinds of trouble with Redis' });
  });

  it('because it becomes a replica', async (context) => {
    const game = await gameOnRedis({ url: redis.url });
    await is(game, []);
    await game.feed('long', 'feast');
    // For a master that no client reaches, so that it keeps its data.
    await admin.replicaof('127.0.0.1', 9);
    await game.feed('first');
    await is(game, ['redis']);
    await plays(game, 'without');
    await admin.replicaof('NO', 'ONE');
    await is(game, []);
    await plays(game, 'with');
    await agrees(game);
    await saidOnce(game, 'redis/read-only');
    prove(context, { row: 31, tries: 1, of: 'kinds of trouble with Redis' });
  });

  it('because it has no memory left', async (context) => {
    const game = await gameOnRedis({ url: redis.url });
    await is(game, []);
    await game.feed('long', 'feast');
    await admin.config('SET', 'maxmemory', '1mb');
    await game.feed('first');
    await is(game, ['redis']);
    await plays(game, 'without');
    await Promise.all(players('later').map((player) => game.feed(player, 'feast')));
    expect(game.degraded()).toEqual(['redis']);
    await admin.config('SET', 'maxmemory', '0');
    await is(game, []);
    await plays(game, 'with');
    await agrees(game);
    await saidOnce(game, 'redis/out-of-memory');
    prove(context, { row: 31, tries: 1, of: 'kinds of trouble with Redis' });
  });

  it('because it may evict timers from now on: it is not used meanwhile, as it would not be at the start', async (context) => {
    const game = await gameOnRedis({ url: redis.url });
    await is(game, []);
    await admin.config('SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-lru');
    await is(game, ['redis']);
    await plays(game, 'without');
    await expect(gameOnRedis({ url: redis.url, prefix: 'next' })).rejects.toMatchObject({ code: 'redis/evicts' });
    await admin.config('SET', 'maxmemory-policy', 'volatile-lru');
    await is(game, []);
    await plays(game, 'with');
    await agrees(game);
    await saidOnce(game, 'redis/evicts');
    prove(context, { row: 31, tries: 1, of: 'kinds of trouble with Redis' });
  });

  it('because another database has its keys: the second is refused, the first goes on', async (context) => {
    const first = await gameOnRedis({ url: redis.url });
    await is(first, []);
    await expect(gameOnRedis({ url: redis.url })).rejects.toMatchObject({ code: 'redis/shared' });
    const beside = await gameOnRedis({ url: redis.url, prefix: 'beside' });
    await Promise.all([plays(first, 'first'), plays(beside, 'beside')]);
    expect([...linesOf(first), ...linesOf(beside)]).toEqual([]);
    prove(context, { row: 31, tries: 1, of: 'kinds of trouble with Redis' });
  });

  it('because its database got a new epoch: refused until the named key is gone, then the index is made anew', async () => {
    const old = await gameOnRedis({ url: redis.url });
    await is(old, []);
    await old.feed('long', 'feast');
    await old.kibble.lifecycle.shutdown();
    await admin.set('{kibble}deployment', 'the epoch before the backup was restored');
    await expect(gameOnRedis({ url: redis.url })).rejects.toMatchObject({ code: 'redis/shared' });
    await admin.del('{kibble}deployment');
    const game = await gameOnRedis({ url: redis.url });
    await is(game, []);
    await plays(game, 'with');
    await agrees(game);
  });
});
