import { expect, it } from 'vitest';
import { createRateLimit } from '../../server/http/rate-limit.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { limitedLog, throttle } from '../../server/runtime/throttle.ts';

it('gives each key its count, and says how long to wait for more', async () => {
  const rate = createRateLimit({ count: 2, perMs: 60_000 });

  expect([await rate.consume('a'), await rate.consume('a'), await rate.consume('b')]).toEqual([0, 0, 0]);
  expect(await rate.waitMs('b')).toBe(0);
  expect(await rate.waitMs('a')).toBeGreaterThan(0);
  expect(await rate.consume('a')).toBeGreaterThan(59_000);
});

it('has as many counters as it may, whatever the keys', async () => {
  const rate = createRateLimit({ count: 1, perMs: 60_000 }, { counters: 4, seed: 'x' });

  const waits = await Promise.all(Array.from({ length: 100 }, (_, key) => rate.consume(`key ${key}`)));

  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(4);
});

it('tells one of many faults, and how many it kept to itself', () => {
  const told: unknown[][] = [];
  const clock = new ManualClock(0);
  const tell = limitedLog((...fault) => told.push(fault), throttle(clock, 20_000));

  tell('garbage', 'first');
  clock.advance(19_999);
  tell('garbage', 'second');
  tell('garbage', 'third');
  clock.advance(1);
  tell('garbage', 'fourth');

  expect(told).toEqual([
    ['garbage', 'first'],
    ['garbage (2 more were not told)', 'fourth'],
  ]);
});
