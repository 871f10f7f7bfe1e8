import fc from 'fast-check';
import { expect, it } from 'vitest';
import { commandsWithin, dueMsOf } from '../../load/run-load.ts';
import { holds } from '../support/properties/property-runs.ts';

const paces = fc.record({
  perSec: fc.double({ min: 0.1, max: 10_000, noNaN: true }),
  rampUpMs: fc.integer({ min: 0, max: 60_000 }),
});

it('has no command due before an earlier one, and exactly those of the count before the end', () => {
  holds([paces, fc.integer({ min: 1, max: 60_000 })], (pace, forMs) => {
    const count = commandsWithin(pace, forMs);
    const endMs = pace.rampUpMs + forMs;
    const around = [0, 1, 2, Math.floor(count / 2), count - 1, count].filter((at) => at >= 0).sort((a, b) => a - b);
    const dueMs = around.map((at) => dueMsOf(at, pace));

    expect(dueMs).toEqual([...dueMs].sort((a, b) => a - b));
    expect(dueMsOf(count, pace)).toBeGreaterThanOrEqual(endMs - 1e-6);
    if (count > 0) expect(dueMsOf(count - 1, pace)).toBeLessThan(endMs + 1e-6);
  });
});

it('grows evenly: a quarter of the ramp-up has come by its middle, and then the rate is the one asked for', () => {
  const pace = { perSec: 100, rampUpMs: 10_000 };

  expect(dueMsOf(0, pace)).toBe(0);
  expect(dueMsOf(125, pace)).toBe(5_000);
  expect(dueMsOf(500, pace)).toBe(10_000);
  expect(dueMsOf(600, pace)).toBe(11_000);
  expect(dueMsOf(7, { perSec: 2, rampUpMs: 0 })).toBe(3_500);
});
