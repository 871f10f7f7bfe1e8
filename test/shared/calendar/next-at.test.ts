import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextTimes } from '../../../server/timer/recurrence/next-times.ts';
import { nextAt } from '../../../shared/calendar/work-entry.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { timesBetween } from './minute-oracle.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const CRONS = ['0 0 * * *', '30 2 * * *', '*/20 1-3 * * *', '0 18 * * 5', '@weekly', '15 3 1 * *'];
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];

/** Nights in which clocks of one of the zones change, and the days about them. */
const around = fc
  .tuple(
    fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01'),
    fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }),
  )
  .map(([day, byMs]) => Date.parse(day) + byMs);

it('equals the wall read minute by minute, and a timer by the same calendar, when clocks change as well', () => {
  const property = (cron: string, timeZone: string, afterMs: number): void => {
    const next = nextAt(cron, timeZone, afterMs);
    const recurrence = { cron: { expression: cron, timeZone } };
    expect([next]).toEqual(nextTimes(recurrence, afterMs, 1));
    if (cron.startsWith('@') || cron.endsWith('1 * *')) return;
    const fromMs = afterMs - (afterMs % MINUTE_MS);
    const wall = timesBetween({ expression: cron, timeZone }, fromMs, fromMs + 8 * DAY_MS);
    expect(next).toBe(wall.find((atMs) => atMs > afterMs));
  };
  fc.assert(fc.property(fc.constantFrom(...CRONS), fc.constantFrom(...ZONES), around, property), { numRuns: 150 });
});

it('is after the instant, never at it', () => {
  const midnightMs = Date.parse('2027-01-01T00:00+01:00');
  expect(nextAt('0 0 * * *', 'Europe/Berlin', midnightMs - 1)).toBe(midnightMs);
  expect(nextAt('0 0 * * *', 'Europe/Berlin', midnightMs)).toBe(midnightMs + DAY_MS);
});

it('is undefined where there is none ever, and after the last one that the clock has', () => {
  expect(nextAt('0 0 30 2 *', 'UTC', Date.parse('2026-01-01'))).toBeUndefined();
  expect(nextAt('0 0 1 1 *', 'UTC', LATEST_MS - DAY_MS)).toBeUndefined();
});

it('refuses what cannot be read as a recurrence does, all of it at once and by the names of its arguments', () => {
  const refusalOf = (call: () => unknown): OptionsRefused => {
    try {
      call();
    } catch (error) {
      if (error instanceof OptionsRefused) return error;
    }
    throw new Error('it was not refused');
  };
  const pathsOf = ({ faults }: OptionsRefused) => faults.map(({ path, code }) => [path, code]);
  expect(pathsOf(refusalOf(() => nextAt('0 25 * * *', 'UTC', 1.5)))).toEqual([
    ['afterMs', 'options/invalid'],
    ['cron', 'timer/bad-cron'],
  ]);
  expect(pathsOf(refusalOf(() => nextAt('0 0 * * *', 'Europe/Atlantis', 0)))).toEqual([
    ['timeZone', 'timer/bad-time-zone'],
  ]);
});
