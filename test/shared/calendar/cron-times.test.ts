import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { lastTurnBy } from '../../../server/timer/recurrence/recurrence.ts';
import { cronFaults } from '../../../shared/calendar/cron-shape.ts';
import { cronTimesIn, nextCronMs } from '../../../shared/calendar/cron-times.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { timesBetween } from './minute-oracle.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** On the wall of the zone, with its offset. */
const shown = (timeZone: string, ms: number): string => {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(ms);
  const offset = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(ms);
  return `${parts.slice(5)} ${offset.find(({ type }) => type === 'timeZoneName')?.value.slice(3)}`;
};

const following = (expression: string, timeZone: string, from: string, count: number): readonly string[] => {
  const all: string[] = [];
  let atMs = Date.parse(from);
  for (let left = count; left > 0; left -= 1) {
    atMs = nextCronMs({ expression, timeZone }, atMs) ?? Number.NaN;
    all.push(shown(timeZone, atMs));
  }
  return all;
};

describe('a time that is named', () => {
  it('comes at the end of the gap when clocks go forward, on that day, once', () => {
    expect(following('30 2 * * *', 'Europe/Berlin', '2026-03-27T12:00Z', 3)).toEqual([
      '03-28 02:30 +01:00',
      '03-29 03:00 +02:00',
      '03-30 02:30 +02:00',
    ]);
    expect(following('0,30 2 * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 2)).toEqual([
      '03-29 03:00 +02:00',
      '03-30 02:00 +02:00',
    ]);
  });

  it('comes at its first time alone when clocks go back', () => {
    expect(following('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
      '10-25 02:30 +02:00',
      '10-26 02:30 +01:00',
    ]);
    expect(following('30 2,14 * * *', 'Europe/Berlin', '2026-10-24T20:00Z', 3)).toEqual([
      '10-25 02:30 +02:00',
      '10-25 14:30 +01:00',
      '10-26 02:30 +01:00',
    ]);
  });

  it('holds where clocks move by half an hour, and where they are half an hour off', () => {
    expect(following('15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T20:00Z', 2)).toEqual([
      '10-04 02:30 +11:00',
      '10-05 02:15 +11:00',
    ]);
    expect(following('45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', 2)).toEqual([
      '04-05 01:45 +11:00',
      '04-06 01:45 +10:30',
    ]);
    expect(following('0 9 * * *', 'Asia/Kolkata', '2026-04-05T00:00Z', 1)).toEqual(['04-05 09:00 +05:30']);
  });

  it('is midnight also where midnight does not exist', () => {
    expect(following('0 0 * * *', 'America/Havana', '2026-03-07T12:00Z', 2)).toEqual([
      '03-08 01:00 -04:00',
      '03-09 00:00 -04:00',
    ]);
  });
});

describe('what goes by `*` or `/`', () => {
  it('follows the wall: the hour that comes twice is there twice, the one that does not exist is not', () => {
    expect(following('30 * * * *', 'Europe/Berlin', '2026-10-24T23:45Z', 3)).toEqual([
      '10-25 02:30 +02:00',
      '10-25 02:30 +01:00',
      '10-25 03:30 +01:00',
    ]);
    expect(following('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15Z', 2)).toEqual([
      '03-29 01:30 +01:00',
      '03-29 03:00 +02:00',
    ]);
  });
});

it('has no time that the calendar lacks, and none behind the end of the clock', () => {
  expect(nextCronMs({ expression: '0 0 30 2 *', timeZone: 'UTC' }, 0)).toBeUndefined();
  expect(nextCronMs({ expression: '0 0 * * *', timeZone: 'UTC' }, LATEST_MS - 1)).toBeUndefined();
});

describe('a night that loses its last hour', () => {
  const timesAfter = (expression: string, timeZone: string, from: string, count: number): readonly string[] => {
    const all: string[] = [];
    for (let atMs = Date.parse(from); all.length < count; ) {
      atMs = nextCronMs({ expression, timeZone }, atMs) ?? Number.NaN;
      all.push(`${new Date(atMs).toISOString().slice(0, 16)}Z`);
    }
    return all;
  };

  it.each([
    ['30 23 * * *', 'America/Nuuk', '2026-03-27T12:00Z', '2026-03-28T01:30Z 2026-03-29T01:00Z 2026-03-30T00:30Z'],
    ['59 23 * * 6', 'America/Scoresbysund', '2030-03-29T12:00Z', '2030-03-31T01:00Z 2030-04-07T00:59Z'],
    ['0 23 29 3 *', 'America/Nuuk', '2030-06-01T00:00Z', '2031-03-30T01:00Z 2032-03-30T00:00Z'],
    [
      '0,20,40 23 * * *',
      'America/Godthab',
      '2031-03-29T20:00Z',
      '2031-03-30T01:00Z 2031-03-31T00:00Z 2031-03-31T00:20Z',
    ],
    ['17 0,23 * * *', 'America/Nuuk', '2026-03-28T12:00Z', '2026-03-29T01:00Z 2026-03-29T01:17Z 2026-03-30T00:17Z'],
    ['59 23 * * *', 'Asia/Dhaka', '2009-06-18T20:00Z', '2009-06-19T17:00Z 2009-06-20T16:59Z'],
    ['45 23 * * *', 'Asia/Pyongyang', '2018-05-03T16:00Z', '2018-05-04T15:00Z 2018-05-05T14:45Z'],
    ['30 23 * * *', 'America/Toronto', '1919-03-29T12:00Z', '1919-03-30T04:30Z 1919-03-31T04:30Z'],
  ])('keeps the turn of %s in %s at the end of the gap', (expression, timeZone, from, wanted) => {
    expect(timesAfter(expression, timeZone, from, wanted.split(' ').length).join(' ')).toBe(wanted);
  });

  it('is counted, and the last turn by the day after is that one', () => {
    const times = { expression: '59 23 * * *', timeZone: 'America/Nuuk' };
    const afterMs = Date.parse('2025-03-28T12:00Z');
    expect(cronTimesIn(times, { afterMs, byMs: Date.parse('2025-03-30T13:00Z'), most: 100 })).toEqual({
      count: 2,
      lastMs: Date.parse('2025-03-30T01:00Z'),
    });
  });

  it('a day that a zone leaves out altogether has no turn', () => {
    expect(timesAfter('30 12 * * *', 'Pacific/Apia', '2011-12-29T00:00Z', 2).join(' ')).toBe(
      '2011-12-29T22:30Z 2011-12-30T22:30Z',
    );
    expect(timesAfter('30 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', 1)).toEqual(['2012-12-29T22:30Z']);
  });
});

describe('what an expression costs', () => {
  const zonesOf = (timeZone: string) => ({ cron: { expression: '7-59/4 */3 * * *', timeZone } });

  it('is the reading of its fields, once: no number of late timers, turns or zones costs more', () => {
    const asked = vi.spyOn(Cron.prototype, 'nextRun');
    const byMs = Date.parse('2026-05-01T00:00Z');
    for (const timeZone of ['Europe/Berlin', 'Asia/Kolkata', 'America/Nuuk']) {
      for (let late = 0; late < 500; late += 1) {
        const dueAtMs = Date.parse('2025-05-01T00:00Z') + late * MINUTE_MS;
        const last = lastTurnBy(zonesOf(timeZone), { turn: 1, dueAtMs }, byMs);
        expect(last.dueAtMs).toBeGreaterThan(byMs - 3 * 60 * MINUTE_MS);
      }
    }
    // Fourteen minutes and eight hours, and the one behind each.
    expect(asked.mock.calls.length).toBeLessThanOrEqual(14 + 1 + 8 + 1);
    asked.mockRestore();
  });

  it('with days that are named is one look for each of those days, for all expressions and zones that name them', () => {
    const asked = vi.spyOn(Cron.prototype, 'nextRun');
    const afterMs = Date.parse('2024-05-01T00:00Z');
    const span = { afterMs, byMs: afterMs + 364 * DAY_MS, most: Number.POSITIVE_INFINITY };
    for (const timeZone of ['Europe/Berlin', 'UTC'])
      for (let minute = 0; minute < 30; minute += 1) {
        expect(cronTimesIn({ expression: `${minute} 9 * * 2,4`, timeZone }, span).count).toBe(104);
      }
    expect(asked.mock.calls.length).toBeLessThanOrEqual(364 + 30 * 2 + 2);
    asked.mockRestore();
  });
});

describe('an expression that cannot be read', () => {
  it('is none of the names, nearest weekdays, last days and counted weekdays that may be in it', () => {
    for (const expression of ['@hourly', '@Daily', '@weekly', '@monthly', '@yearly', '0 9 15W * ?', '0 9 L JAN +FRI']) {
      expect(cronFaults({ expression, timeZone: 'UTC' })).toEqual([]);
    }
    expect(cronFaults({ expression: '@often', timeZone: 'Mars/Olympus' })).toMatchObject([
      { at: ['expression'], what: 'is "@often", which is no cron expression (it has not five fields)' },
      { at: ['timeZone'], what: expect.stringContaining('which is no time zone') },
    ]);
  });
});

it.each([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@weekly', '0 0 * * 7'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
])('%s is %s', (name, expression) => {
  expect(following(name, 'Europe/Berlin', '2026-03-27T12:00Z', 3)).toEqual(
    following(expression, 'Europe/Berlin', '2026-03-27T12:00Z', 3),
  );
});

const zones = [
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/Santiago',
  'America/Nuuk',
  'UTC',
];
/** The days around each change of the clocks, and some others. */
const fromDays = [
  '2026-03-28',
  '2026-10-24',
  '2026-03-07',
  '2026-10-31',
  '2026-04-04',
  '2026-10-03',
  '2026-09-05',
  '2026-12-31',
];
const field = (most: number) =>
  fc.oneof(
    fc.integer({ min: 0, max: most }).map(String),
    fc.uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 2, maxLength: 3 }).map((all) => all.join(',')),
    fc
      .tuple(fc.integer({ min: 0, max: most >> 1 }), fc.integer({ min: most >> 1, max: most }))
      .map((ends) => ends.join('-')),
    fc.integer({ min: 2, max: most }).map((step) => `*/${step}`),
    fc.constant('*'),
  );
/** Mostly in the night, where the clocks move. */
const hours = fc.oneof(field(23), field(4));
const expressions = fc
  .tuple(
    field(59),
    hours,
    fc.constantFrom('*', '*', '29', '4,25'),
    fc.constantFrom('*', '*', '3,10'),
    fc.constantFrom('*', '*', '0', '1-5'),
  )
  .map((fields) => fields.join(' '));

it('equals an oracle that reads the wall minute by minute, around every change of the clocks', () => {
  fc.assert(
    fc.property(expressions, fc.constantFrom(...zones), fc.constantFrom(...fromDays), (expression, timeZone, day) => {
      const [fromMs, toMs] = [Date.parse(`${day}T00:00Z`), Date.parse(`${day}T00:00Z`) + 2 * DAY_MS];
      const wanted = timesBetween({ expression, timeZone }, fromMs, toMs);
      const found: number[] = [];
      for (let atMs = nextCronMs({ expression, timeZone }, fromMs); atMs !== undefined && atMs <= toMs; ) {
        found.push(atMs);
        atMs = nextCronMs({ expression, timeZone }, atMs);
      }
      expect(found).toEqual(wanted);
      const span = { afterMs: fromMs, byMs: toMs, most: Number.POSITIVE_INFINITY };
      expect(cronTimesIn({ expression, timeZone }, span)).toEqual({
        count: wanted.length,
        lastMs: wanted.at(-1) ?? fromMs,
      });
    }),
    { numRuns: 60 },
  );
});

it('equals the oracle minute by minute over a year', () => {
  const [fromMs, toMs] = [Date.parse('2026-01-01T00:00Z'), Date.parse('2027-01-01T00:00Z')];
  for (const [expression, timeZone] of [
    ['30 2 * * *', 'Europe/Berlin'],
    ['45 1 * * 0', 'Australia/Lord_Howe'],
  ] as const) {
    const found: number[] = [];
    for (let atMs: number | undefined = fromMs; atMs !== undefined && atMs <= toMs; ) {
      atMs = nextCronMs({ expression, timeZone }, atMs);
      if (atMs !== undefined && atMs <= toMs) found.push(atMs);
    }
    expect(found).toEqual(timesBetween({ expression, timeZone }, fromMs, toMs));
    expect(found.every((atMs) => atMs % MINUTE_MS === 0)).toBe(true);
  }
});
