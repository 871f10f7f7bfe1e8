import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pairsOf, rowOf } from '../../bench/compare/against.ts';

const root = path.join(import.meta.dirname, '../..');
const perSec = { name: 'perSec', unit: '/s' } as const;

describe('pairs of two checkouts', () => {
  const samples = (...values: number[]) => ({ cards: { perSec: values } });

  it('are compared one by one, so that an hour in which everything is slow counts for both', () => {
    const [pair] = pairsOf([perSec], samples(200, 20, 220), samples(100, 10, 100));

    expect(pair?.ratio).toEqual({ median: 2, min: 2, max: 2.2 });
  });

  it('are apart only when all differ the same way', () => {
    const isApart = (here: readonly number[]) => pairsOf([perSec], samples(...here), samples(10, 10, 10))[0]?.isApart;

    expect(isApart([11, 12, 30])).toBe(true);
    expect(isApart([9, 8, 9])).toBe(true);
    expect(isApart([9, 30, 30])).toBe(false);
    expect(isApart([10, 30, 30])).toBe(false);
  });

  it('are not apart when there are fewer than three', () => {
    expect(pairsOf([perSec], samples(30), samples(10))[0]?.isApart).toBe(false);
    expect(pairsOf([perSec], samples(30, 30), samples(10, 10))[0]?.isApart).toBe(false);
  });

  it('are only of what both have', () => {
    expect(pairsOf([perSec], samples(1), { herds: { perSec: [1] } })).toEqual([]);
    expect(pairsOf([perSec], { cards: { p50: [1] } }, samples(1))).toEqual([]);
  });
});

it.each(['game-commands', 'herd', 'lateness-1m'])('finds the row %s of a checkout', async (name) => {
  expect(await rowOf(root, name)).toMatchObject({ name });
});

it('says which row a checkout does not have', async () => {
  await expect(rowOf(root, 'no-such-row')).rejects.toThrow('has no row no-such-row');
});
