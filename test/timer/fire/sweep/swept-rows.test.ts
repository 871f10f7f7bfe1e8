import { expect, it } from 'vitest';
import { SweptRows } from '../../../../server/timer/fire/sweeper.ts';

const row = (id: number, revision = 1) => ({ timerId: String(id), owner: 'ann', fireAtMs: 0, revision });

it('counts a row once a minute, and at once when it has changed', () => {
  const swept = new SweptRows();
  expect(swept.note([row(1), row(2)], 0)).toBe(2);
  expect(swept.note([row(1)], 59_999)).toBe(0);
  expect(swept.note([row(2, 2)], 59_999)).toBe(1);
  expect(swept.note([row(1)], 60_000)).toBe(1);
});

it('counts it again a minute after it was counted, whatever the clock shows', () => {
  const swept = new SweptRows();
  expect(swept.note([row(1)], 500_000)).toBe(1);
  expect(swept.note([row(1)], 559_999)).toBe(0);
  expect(swept.note([row(1)], 560_000)).toBe(1);
});

it('knows when it had a row last, of the same revision', () => {
  const swept = new SweptRows();
  swept.note([row(1)], 5);
  swept.note([row(1)], 7);
  expect(swept.sweptAtMs(row(1))).toBe(7);
  expect(swept.sweptAtMs(row(1, 2))).toBe(Number.NEGATIVE_INFINITY);
});

it('forgets the row first that it had longest ago', () => {
  const swept = new SweptRows();
  for (let at = 0; at < 20_000; at += 1) swept.note([row(at)], at);
  swept.note([row(0), row(20_000)], 20_000);
  expect([swept.sweptAtMs(row(0)), swept.sweptAtMs(row(1))]).toEqual([20_000, Number.NEGATIVE_INFINITY]);
});

it('remembers the last 20,000 rows', () => {
  const swept = new SweptRows();
  for (let at = 0; at < 20_001; at += 1) swept.note([row(at)], at);
  expect(swept.sweptAtMs(row(0))).toBe(Number.NEGATIVE_INFINITY);
  expect(swept.sweptAtMs(row(1))).toBe(1);
  expect(swept.sweptAtMs(row(20_000))).toBe(20_000);
});
