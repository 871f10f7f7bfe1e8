import { Cron } from 'croner';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lastTurnBy } from '../../../server/timer/recurrence/recurrence.ts';
import { Zone } from '../../../shared/calendar/zone.ts';

const BY_MS = Date.parse('2026-05-01T00:00Z');
/** The steps of 1,000 turns, two for each, and those of a year. */
const MOST_STEPS = 2200;

/** The last turn of timers that were first due in 1970, and the cost of finding it. */
const makeScene = (expression: string, timeZone: string, times?: number) => {
  const steps = vi.spyOn(Zone.prototype, 'stretch');
  const offsets = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  const days = vi.spyOn(Cron.prototype, 'nextRun');
  return {
    last: (dueAtMs: number) => lastTurnBy({ cron: { expression, timeZone, times } }, { turn: 1, dueAtMs }, BY_MS),
    steps: () => steps.mock.calls.length,
    looks: () => offsets.mock.calls.length + days.mock.calls.length,
  };
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe('500 timers with a due time of 1970', () => {
  it.each([
    ['0 9 * * *', 'Europe/Rome', '2026-04-30T07:00Z'],
    ['*/5 * * * *', 'Europe/Oslo', '2026-05-01T00:00Z'],
    ['0 9 * * 1-5', 'Europe/Paris', '2026-04-30T07:00Z'],
    ['0 9 * * 1', 'Europe/Madrid', '2026-04-27T07:00Z'],
    ['0 9 1,15 * *', 'Europe/Berlin', '2026-04-15T07:00Z'],
    // No turn in the last year.
    ['* * 29 2 *', 'Europe/Vienna', '2024-02-29T22:59Z'],
  ])('of %s take at most the steps of 1,000 turns and a year each, and read zone and days once', (...given) => {
    const [expression, timeZone, lastAt] = given;
    const { last, steps, looks } = makeScene(expression, timeZone);
    expect(last(0)).toEqual({ turn: 1001, dueAtMs: Date.parse(lastAt) });
    expect(steps()).toBeLessThan(MOST_STEPS);
    const ofFirst = looks();
    for (let timer = 1; timer < 500; timer += 1) last(timer * 1000);
    expect(steps()).toBeLessThan(500 * MOST_STEPS);
    expect(looks()).toBe(ofFirst);
  });

  it('of seldom or few turns have every turn counted', () => {
    expect(makeScene('0 9 1 1 *', 'UTC').last(0)).toEqual({ turn: 58, dueAtMs: Date.parse('2026-01-01T09:00Z') });
    expect(makeScene('0 9 * * *', 'UTC', 3).last(0)).toEqual({ turn: 3, dueAtMs: Date.parse('1970-01-02T09:00Z') });
    expect(makeScene('0 9 * * *', 'UTC', 1001).last(0)).toEqual({
      turn: 1001,
      dueAtMs: Date.parse('1972-09-26T09:00Z'),
    });
  });
});
