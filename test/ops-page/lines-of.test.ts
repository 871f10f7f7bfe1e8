import { expect, it } from 'vitest';
import { linesOf } from '../../ops/acts/act.ts';
import { jobFilter } from '../../shared/ops/job-filter.ts';

it('takes players between any separators, and never all players for a field with separators alone', () => {
  expect(linesOf('ann, bea\n\ncid')).toEqual(['ann', 'bea', 'cid']);
  expect(linesOf('')).toBeUndefined();
  for (const text of [' ', ',', '\n, ']) {
    expect(linesOf(text)).toEqual([]);
    expect(jobFilter.safeParse({ playerIds: linesOf(text) }).success).toBe(false);
  }
});
