import { expect, it } from 'vitest';
import { fullIndexInOwnThread } from '../../bench/rows/timers/full-index.ts';

it('measures the cascade of the widest slot beside the ordinary steps', async () => {
  const found = await fullIndexInOwnThread({ pending: 2_000, timersEach: 10, steps: 5 });

  expect(Object.keys(found).toSorted()).toEqual(['bytes', 'cascade', 'collection', 'longest']);
  expect(found.cascade).toBeGreaterThan(0);
});
