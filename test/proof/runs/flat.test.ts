import { expect, it } from 'vitest';
import { driftOf, type Series } from './flat.ts';

const series = (values: readonly number[]): Series => ({
  name: 'memory',
  unit: 'MB',
  points: values.map((value, at) => [at * 10, value]),
  mayDrift: { share: 0.1, by: 5 },
});

it('takes for flat what swings, falls or rises by little, and for no more what rises', () => {
  expect(driftOf(series([100, 110, 90, 100, 110, 90, 100]))).toMatchObject({ mean: 100, isFlat: true });
  expect(driftOf(series([100, 80, 60, 40]))).toMatchObject({ isFlat: true });
  expect(driftOf(series([100, 103, 106, 109]))).toMatchObject({ isFlat: true });
  expect(driftOf(series([100, 110, 120, 130]))).toMatchObject({ mean: 115, isFlat: false });
  expect(driftOf(series([100, 110, 120, 130])).drift).toBeCloseTo(30);
});

it('allows a small figure a fixed drift, where a share of it would be nothing', () => {
  expect(driftOf(series([1, 2, 3, 4]))).toMatchObject({ isFlat: true });
  expect(driftOf(series([1, 3, 5, 7]))).toMatchObject({ isFlat: false });
});

it('judges what is collected now and then by how high it comes: a leak lifts that', () => {
  const collected = Array.from({ length: 60 }, (_, at) => (at < 30 ? 60 + 8 * (at % 6) : 100));
  expect(driftOf(series(collected))).toMatchObject({ isFlat: false });
  expect(driftOf({ ...series(collected), isByPeaks: true })).toMatchObject({ isFlat: true });
  const leaking = Array.from({ length: 60 }, (_, at) => 100 + at / 2 - (at % 10));
  expect(driftOf({ ...series(leaking), isByPeaks: true })).toMatchObject({ isFlat: false });
});
