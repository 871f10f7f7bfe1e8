import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { misfire, neverAgain, recurring, twoRecurrences } from '../../../server/timer/recurrence/check-recurrence.ts';
import type { MisfirePolicy } from '../../../server/timer/recurrence/misfire.ts';
import { nextTimes } from '../../../server/timer/recurrence/next-times.ts';
import {
  lastTurnBy,
  type Recurrence,
  type Recurring,
  type TimerTurn,
  turnAfter,
} from '../../../server/timer/recurrence/recurrence.ts';
import { nextCronMs } from '../../../shared/calendar/cron-times.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { faultsAt, readOptions } from '../../../shared/options/read-options.ts';
import { fields } from '../../../shared/options/shapes.ts';

const recurringSchema = fields<Recurring>(recurring, twoRecurrences);
const checkRecurrence = (asked: Recurring): void => void readOptions(recurringSchema, asked, 'schedule');
const checkMisfire = (policy: MisfirePolicy): void => void readOptions(misfire, policy, 'schedule');
const checkComesAgain = (asked: Recurring, dueAtMs: number | undefined): void => {
  const faults = faultsAt('timers[0]', neverAgain(asked, dueAtMs, NOW_MS));
  if (faults.length > 0) throw new OptionsRefused('schedule', faults);
};

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const cronExpressions = ['30 2 * * *', '0 0 * * *', '*/20 1-4 * * *', '5 */6 * * 1-5', '0 12 1 * *'];
const recurrences: fc.Arbitrary<Recurrence> = fc.oneof(
  fc.record({ every: fc.record({ ms: fc.integer({ min: 1000, max: 3 * DAY_MS }) }) }),
  fc.record({
    every: fc.record({
      days: fc.integer({ min: 1, max: 9 }),
      timeZone: fc.constantFrom('Europe/Berlin', 'America/Nuuk', 'UTC'),
      fromMs: fc.constantFrom(undefined, NOW_MS, NOW_MS - 5000, NOW_MS + 3 * DAY_MS),
    }),
  }),
  fc.record({
    cron: fc.record({
      expression: fc.constantFrom(...cronExpressions),
      timeZone: fc.constantFrom('Europe/Berlin', 'Australia/Lord_Howe', 'UTC'),
    }),
  }),
);
const ended = fc
  .tuple(
    recurrences,
    fc.option(fc.integer({ min: 2, max: 60 }), { nil: undefined }),
    fc.option(fc.nat(40 * DAY_MS), { nil: undefined }),
  )
  .map(([recurrence, times, forMs]): Recurrence => {
    const end = { times, untilMs: forMs === undefined ? undefined : NOW_MS + forMs };
    return 'every' in recurrence
      ? { every: { ...recurrence.every, ...end } }
      : { cron: { ...recurrence.cron, ...end } };
  });
const first: TimerTurn = { turn: 1, dueAtMs: NOW_MS };

/** TimerTurn by turn, by no other means. */
const walked = (recurrence: Recurrence, byMs: number, most: number): readonly TimerTurn[] => {
  const turns = [first];
  for (let next = turnAfter(recurrence, first); next && next.dueAtMs <= byMs && turns.length <= most; ) {
    turns.push(next);
    next = turnAfter(recurrence, next);
  }
  return turns;
};

describe('the next turn', () => {
  it('is due strictly later and counted by one, and none lies after the end', () => {
    fc.assert(
      fc.property(ended, (recurrence) => {
        const turns = walked(recurrence, LATEST_MS, 80);
        const { untilMs = LATEST_MS, times = Number.POSITIVE_INFINITY } =
          'every' in recurrence ? recurrence.every : recurrence.cron;
        for (const [at, { turn, dueAtMs }] of turns.entries()) {
          expect(turn).toBe(at + 1);
          if (at === 0) continue;
          expect(dueAtMs).toBeGreaterThan(turns[at - 1]?.dueAtMs ?? 0);
          expect(dueAtMs).toBeLessThanOrEqual(untilMs);
        }
        expect(turns.length).toBeLessThanOrEqual(times);
      }),
    );
  });

  it('drifts by nothing in a thousand rounds', () => {
    expect(walked({ every: { ms: 86_399_977 } }, LATEST_MS, 1000).at(-1)).toEqual({
      turn: 1001,
      dueAtMs: NOW_MS + 1000 * 86_399_977,
    });
  });

  it('is none behind the end of the clock', () => {
    expect(turnAfter({ every: { ms: DAY_MS } }, { turn: 3, dueAtMs: LATEST_MS - DAY_MS })).toBeUndefined();
    expect(turnAfter({ every: { ms: DAY_MS } }, { turn: 3, dueAtMs: LATEST_MS - DAY_MS - 1 })?.turn).toBe(4);
  });
});

describe('the last turn by an instant', () => {
  it('is the one that walking from turn to turn comes to: none is skipped, none doubled', () => {
    fc.assert(
      fc.property(ended, fc.nat(20 * DAY_MS), (recurrence, laterMs) => {
        fc.pre(!('every' in recurrence) || laterMs / (recurrence.every.ms ?? DAY_MS) < 5000);
        const byMs = NOW_MS + laterMs;
        expect(lastTurnBy(recurrence, first, byMs)).toEqual(walked(recurrence, byMs, 5000).at(-1));
      }),
    );
  });

  it('is due right and counted to a thousand where more turns of a calendar were missed', () => {
    const recurrence = { cron: { expression: '*/5 * * * *', timeZone: 'Europe/Berlin' } };
    const last = lastTurnBy(recurrence, first, NOW_MS + 200 * DAY_MS + 1);
    expect(last).toEqual({ turn: 1001, dueAtMs: NOW_MS + 200 * DAY_MS - ((NOW_MS + 200 * DAY_MS) % 300_000) });
  });

  it('is due right where an integer of Postgres cannot count the turns', () => {
    const recurrence = { every: { ms: 1000 } };
    const long = { turn: 1, dueAtMs: 1 - LATEST_MS };
    const last = lastTurnBy(recurrence, long, NOW_MS);
    expect(last).toEqual({ turn: 2 ** 30, dueAtMs: NOW_MS + ((1 - LATEST_MS - NOW_MS) % 1000) });
    expect(lastTurnBy(recurrence, { ...last, dueAtMs: long.dueAtMs }, NOW_MS)).toEqual({ ...last, turn: 2 ** 30 + 1 });
  });

  it('does not go back', () => {
    expect(lastTurnBy({ every: { ms: 1000 } }, first, NOW_MS - DAY_MS)).toEqual(first);
  });
});

describe('an interval of days', () => {
  const berlin = (times: readonly number[]): readonly string[] =>
    times.map((ms) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'short' }).format(
        ms,
      ),
    );
  const every = (days: number, from: string) => ({
    every: { days, timeZone: 'Europe/Berlin', fromMs: Date.parse(from) },
  });

  it('keeps its time on the wall, also behind the night that left it out', () => {
    const times = nextTimes(every(1, '2026-03-27T01:30Z'), Date.parse('2026-03-27T00:00Z'), 5);
    expect(berlin(times)).toEqual([
      '2026-03-27 02:30',
      '2026-03-28 02:30',
      '2026-03-29 03:00',
      '2026-03-30 02:30',
      '2026-03-31 02:30',
    ]);
  });

  it('without a beginning is counted from the instant, and keeps the time of that', () => {
    const times = nextTimes({ every: { days: 1, timeZone: 'Europe/Berlin' } }, Date.parse('2026-03-27T01:30Z'), 3);
    expect(berlin(times)).toEqual(['2026-03-28 02:30', '2026-03-29 03:00', '2026-03-30 02:30']);
  });

  it('comes each two weeks at ten, summer and winter', () => {
    const times = nextTimes(every(14, '2026-03-20T09:00Z'), Date.parse('2026-03-21T00:00Z'), 2);
    expect(berlin(times)).toEqual(['2026-04-03 10:00', '2026-04-17 10:00']);
    const autumn = nextTimes(every(14, '2026-03-20T09:00Z'), Date.parse('2026-10-20T00:00Z'), 2);
    expect(berlin(autumn)).toEqual(['2026-10-30 10:00', '2026-11-13 10:00']);
  });

  it('in a zone with a night that loses its last hour, keeps the turn and the time', () => {
    const everyDay = { every: { days: 1, timeZone: 'America/Nuuk', fromMs: Date.parse('2026-03-28T01:30Z') } };
    expect(nextTimes(everyDay, everyDay.every.fromMs, 2).map((ms) => new Date(ms).toISOString())).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });
});

describe('the next times of a recurrence', () => {
  const midnight = Date.parse('2026-06-01T00:00Z');

  it('are those of its calendar, from its beginning to its end, and as many as it has', () => {
    const daily = (more: object) =>
      nextTimes({ cron: { expression: '@daily', timeZone: 'UTC', ...more } }, midnight, 4);
    expect(daily({})).toEqual([1, 2, 3, 4].map((day) => midnight + day * DAY_MS));
    expect(daily({ fromMs: midnight + 3 * DAY_MS })).toEqual([3, 4, 5, 6].map((day) => midnight + day * DAY_MS));
    expect(daily({ untilMs: midnight + 2 * DAY_MS })).toHaveLength(2);
    expect(daily({ times: 1 })).toEqual([midnight + DAY_MS]);
    expect(nextTimes({ cron: { expression: '0 0 30 2 *', timeZone: 'UTC' } }, midnight, 4)).toEqual([]);
  });

  it('of an interval are those of its grid; without a beginning they are counted from the instant', () => {
    expect(nextTimes({ every: { ms: HOUR_MS, fromMs: midnight + 500 } }, midnight - 3 * DAY_MS, 2)).toEqual([
      midnight + 500,
      midnight + 500 + HOUR_MS,
    ]);
    expect(nextTimes({ every: { ms: HOUR_MS, fromMs: midnight + 500 } }, midnight + HOUR_MS + 500, 1)).toEqual([
      midnight + 500 + 2 * HOUR_MS,
    ]);
    expect(nextTimes({ every: { ms: HOUR_MS } }, midnight, 2)).toEqual([midnight + HOUR_MS, midnight + 2 * HOUR_MS]);
  });

  it.each([
    ['no recurrence', [{}, midnight, 1]],
    ['an interval of days without a zone', [{ every: { days: 2 } }, midnight, 1]],
    ['days beside milliseconds', [{ every: { days: 2, ms: 5000, timeZone: 'UTC' } }, midnight, 1]],
    ['days of no zone', [{ every: { days: 2, timeZone: 'Mars/Olympus' } }, midnight, 1]],
    ['no instant', [{ every: { ms: 5000 } }, new Date(), 1]],
    ['too many', [{ every: { ms: 5000 } }, midnight, 1001]],
  ])('%s is refused', (_, given) => {
    expect(() => Reflect.apply(nextTimes, undefined, given)).toThrow(
      expect.objectContaining({ name: 'OptionsRefused' }),
    );
  });
});

describe('a turn before the beginning', () => {
  it('does not come by itself, and is not counted', () => {
    const fromMs = NOW_MS + 10 * DAY_MS;
    const cron = { cron: { expression: '0 0 * * *', timeZone: 'UTC', fromMs } };
    const next = turnAfter(cron, first);
    expect(next?.turn).toBe(2);
    expect(next?.dueAtMs).toBeGreaterThanOrEqual(fromMs);
    expect(lastTurnBy(cron, first, fromMs - 1)).toEqual(first);
    expect(turnAfter({ every: { ms: DAY_MS + 1, fromMs } }, first)).toEqual({
      turn: 2,
      dueAtMs: NOW_MS + 10 * (DAY_MS + 1),
    });
  });
});

describe('what cannot work is refused with a code and a remedy', () => {
  const every = (ms: number) => () => checkRecurrence({ every: { ms } });
  const cron =
    (expression: string, timeZone = 'UTC') =>
    () =>
      checkRecurrence({ cron: { expression, timeZone } });

  it.each([
    ['an interval of 0', every(0), 'timer/bad-interval'],
    ['one below a second', every(999), 'timer/bad-interval'],
    ['one of parts of milliseconds', every(1000.5), 'timer/bad-interval'],
    ['one beyond the clock', every(LATEST_MS), 'timer/bad-interval'],
    ['no number', every(Number.NaN), 'timer/bad-interval'],
    ['an empty expression', cron(''), 'timer/bad-cron'],
    ['one of six fields', cron('0 0 0 * * *'), 'timer/bad-cron'],
    ['minute 60', cron('60 * * * *'), 'timer/bad-cron'],
    ['a date', cron('2027-01-01T00:00:00'), 'timer/bad-cron'],
    ['a very long one', cron(`${'1,'.repeat(300)}1 * * * *`), 'timer/bad-cron'],
    ['an unknown zone', cron('0 0 * * *', 'Mars/Olympus'), 'timer/bad-time-zone'],
    ['an empty zone', cron('0 0 * * *', ''), 'timer/bad-time-zone'],
    ['an end that is no instant', () => checkRecurrence({ every: { ms: 1000, untilMs: 0.5 } }), 'timer/bad-end'],
    [
      'both at once',
      () => checkRecurrence({ every: { ms: 1000 }, cron: { expression: '0 0 * * *', timeZone: 'UTC' } }),
      'timer/two-recurrences',
    ],
    [
      'a day that never comes',
      () => {
        const cron = { expression: '0 0 30 2 *', timeZone: 'UTC' };
        checkComesAgain({ cron }, nextCronMs(cron, NOW_MS));
      },
      'timer/never-again',
    ],
    [
      'an end before the second turn',
      () => checkComesAgain({ every: { ms: 1000, untilMs: NOW_MS + 999 } }, NOW_MS),
      'timer/never-again',
    ],
    [
      'an interval to beyond the clock',
      () => checkComesAgain({ every: { ms: LATEST_MS - NOW_MS } }, NOW_MS),
      'timer/never-again',
    ],
    ['a negative patience', () => checkMisfire({ afterMs: -1 }), 'timer/bad-misfire'],
    ['an unknown policy', () => checkMisfire({ late: 'drop' as 'skip' }), 'timer/bad-misfire'],
  ])('%s', (_name, check, code) => {
    expect(check).toThrow(
      expect.objectContaining({ name: 'OptionsRefused', code, message: expect.stringMatching(/: \w{4}/) }),
    );
  });

  it.each([
    ['0 0 32 * *', 'the day of the month is 32, not 1 to 31'],
    ['0 0 0 * *', 'the day of the month is 0, not 1 to 31'],
    ['0 0 1 13 *', 'the month is 13, not 1 to 12'],
    ['0 24 * * *', 'the hour is 24, not 0 to 23'],
    ['0 0 * * 8', 'the day of the week is 8, not 0 to 7'],
    ['60 * * * *', 'the minute is 60, not 0 to 59'],
  ])('and says of %s which number is wrong', (expression, why) => {
    expect(cron(expression)).toThrow(`cron.expression is "${expression}", which is no cron expression (${why})`);
  });

  it('and what can work is not', () => {
    every(1000)();
    cron('30 9 * * 1-5', 'Asia/Kolkata')();
    checkComesAgain({ every: { ms: 1000, untilMs: NOW_MS + 1000, times: 2 } }, NOW_MS);
    checkMisfire({ afterMs: 0, late: 'dead', missed: 'none' });
  });
});
