import { expect, it } from 'vitest';
import { recordedSamples } from '../../bench/harness/results.ts';
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

it('does not call reached what a round could not measure, and reads it from its record', () => {
  const measured = { ours: { p99: [3, Number.NaN, 4] } };
  expect(judge({ of: 'ours', figure: 'p99', atMost: 5 }, measured)).toMatchObject({ isReached: false });
  expect(recordedSamples.parse(JSON.parse(JSON.stringify(measured)))).toEqual(measured);
});
