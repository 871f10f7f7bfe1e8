import { Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { gameOnRedis } from '../support/game/game-on-redis.ts';
import { startRedis } from '../support/redis/redis-server.ts';

type Game = Awaited<ReturnType<typeof gameOnRedis>>;

describe.skipIf(inject('redisUrl') === '')('two games on one Redis server, with the same prefix', () => {
  it('in two of its databases share no channel, as they share no key', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const [admin, listener] = [new Redis(server.url), new Redis(server.url)];
    onTestFinished(() => {
      admin.disconnect();
      listener.disconnect();
    });
    // Without a database number: a listener in one hears what is said in all.
    const heard = new Set<string>();
    await listener.psubscribe('*');
    listener.on('pmessage', (_pattern, channel: string) => heard.add(channel));
    const games = [await gameOnRedis({ url: `${server.url}/0` }), await gameOnRedis({ url: `${server.url}/1` })];
    const plays = async (game: Game): Promise<void> => {
      await vi.waitFor(() => expect(game.degraded()).toEqual([]), { timeout: 15_000 });
      await game.feed('ann');
      await vi.waitFor(async () => expect(await game.completed(['ann'])).toBe(1), { timeout: 10_000 });
    };
    for (const game of games) await plays(game);
    /** By message of a channel: the databases that it names. */
    const databases = (): ReadonlyMap<string, readonly string[]> => {
      const parts = [...heard].map((channel) => channel.split(':'));
      const byUse = Map.groupBy(parts, ([, , ...use]) => use.join(':'));
      return new Map([...byUse].map(([use, named]) => [use, named.map(([, database = '']) => database)]));
    };
    await vi.waitFor(() => {
      const found = databases();
      expect([...found.keys()].toSorted()).toEqual([expect.stringMatching(/^commits:\d+$/), 'wake']);
      for (const [one, other, ...more] of found.values())
        expect([one === other, other, more]).toEqual([false, other, []]);
    });
    expect(games.flatMap(({ lines }) => lines.filter(({ level }) => level !== 'info'))).toEqual([]);
  });
});
