import { expect, it } from 'vitest';
import { shardOf } from '../../../../server/adapter/redis/index/redis-keys.ts';

it.each([
  ['player-1', (at: number) => `player-${at}`],
  ['guest:uuid', (at: number) => `guest:00000000-0000-4000-8000-${String(at).padStart(12, '0')}`],
  ['a bare number', (at: number) => String(at)],
])('spreads 16,000 owners named like %s over 16 shards, each within a tenth of its share', (_name, ownerOf) => {
  const counts = Array.from({ length: 16 }, () => 0);
  for (let at = 0; at < 16_000; at += 1) {
    const shard = shardOf(ownerOf(at), 16);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(900);
  expect(Math.max(...counts)).toBeLessThan(1100);
});

it('keeps the arrangement that stands in every Redis: these owners have these shards', () => {
  expect(['ann', 'bob', 'guest:1', ''].map((owner) => shardOf(owner, 16))).toMatchInlineSnapshot(`
    [
      5,
      6,
      1,
      11,
    ]
  `);
});
