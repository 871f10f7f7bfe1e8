import { Pool } from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createTimers, ManualClock, NotRetryable, silent, type TimersOptions } from '../server/timers.ts';
import { hostDatabase } from './support/postgres/host-database.ts';
import { startRedis } from './support/redis/redis-server.ts';

const NOW_MS = 1_790_000_000_000;

/** Timers of a game that has nothing but a pool. */
const gameOn = async (options: Omit<TimersOptions, 'pool'>) => {
  const { pool } = await hostDatabase();
  const game = createTimers({ pool, log: silent, ...options });
  onTestFinished(() => game.lifecycle.shutdown());
  await game.lifecycle.boot();
  return { ...game, pool };
};

it('fires on a clock that is moved by hand: due, moved, cancelled, given up', async () => {
  const clock = new ManualClock(NOW_MS);
  const fired: string[] = [];
  const { timers, runDue, now } = await gameOn({
    clock,
    kinds: [
      {
        kind: 'letter',
        call: async ({ subject }) => {
          if (subject === 'bad') throw new NotRetryable('nobody lives there');
          fired.push(subject);
        },
      },
    ],
  });
  const letter = (subject: string, delayMs: number) => ({
    kind: 'letter',
    subject,
    owner: 'ann',
    dueAtMs: NOW_MS + delayMs,
  });
  await timers.schedule([letter('a', 1000), letter('b', 2000), letter('c', 3000), letter('bad', 1000)]);
  await timers.shift([{ kind: 'letter', subject: 'c', byMs: -2000 }]);
  await timers.cancel([{ kind: 'letter', subject: 'b' }]);
  clock.advance(999);
  await runDue();
  expect(fired).toEqual([]);
  clock.advance(5000);
  await runDue();
  expect(fired.sort()).toEqual(['a', 'c']);
  expect((await timers.listDead(['letter'])).map(({ subject }) => subject)).toEqual(['bad']);
  expect(await now()).toBe(clock.nowMs());
});

it('refuses a schema that is no plain name', () => {
  expect(() => createTimers({ pool: new Pool(), schema: 'a"b', kinds: [] })).toThrow(TypeError);
});

describe('a game without homes', () => {
  const counted = () => {
    const seen: string[] = [];
    const call = async ({ subject }: { readonly subject: string }): Promise<void> => {
      seen.push(subject);
    };
    return { seen, kinds: [{ kind: 'letter', call }] };
  };

  it('fires by itself on the wheel', { timeout: 60_000 }, async () => {
    const { seen, kinds } = counted();
    const { timers, now, health } = await gameOn({ kinds });
    // Whether the wheel is refilled yet or not: there is no Redis that could be away.
    expect(health.degraded()).toEqual([]);
    await timers.schedule([{ kind: 'letter', subject: 'a', owner: 'ann', dueAtMs: (await now()) + 50 }]);
    await vi.waitFor(() => expect(seen).toEqual(['a']), { timeout: 10_000 });
  });

  it.skipIf(inject('redisUrl') === '')(
    'has timers written by one process fired by another, through Redis',
    async () => {
      const redis = await startRedis();
      onTestFinished(() => redis.stop());
      const { seen, kinds } = counted();
      const { pool, health } = await gameOn({ kinds, redis: redis.url });
      await vi.waitFor(() => expect(health.degraded()).toEqual([]), { timeout: 10_000 });
      const writer = createTimers({ pool, kinds: [], redis: redis.url, fires: false });
      await writer.lifecycle.boot();
      await writer.timers.schedule([
        { kind: 'letter', subject: 'a', owner: 'ann', dueAtMs: (await writer.now()) + 50 },
      ]);
      await vi.waitFor(() => expect(seen).toEqual(['a']), { timeout: 10_000 });
      expect(writer.health.degraded()).toEqual([]);
      await writer.lifecycle.shutdown();
    },
  );
});
