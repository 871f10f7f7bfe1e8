import { expect, it } from 'vitest';
import { judge } from '../../bench/harness/tables.ts';

const samples = { ours: { perSec: [90, 30, 80] }, theirs: { perSec: [10, 10, 10] } };
const target = { of: 'ours', figure: 'perSec', against: 'theirs' };

it('judges a target by the median of its rounds, and one that is in each round by the worst', () => {
  expect(judge({ ...target, atLeast: 5 }, samples).isReached).toBe(true);
  expect(judge({ ...target, atLeast: 5, isInEachRound: true }, samples).isReached).toBe(false);
  expect(judge({ ...target, atLeast: 3, isInEachRound: true }, samples).isReached).toBe(true);
  expect(judge({ ...target, atMost: 8.5 }, samples).isReached).toBe(true);
  expect(judge({ ...target, atMost: 8.5, isInEachRound: true }, samples).isReached).toBe(false);
});
