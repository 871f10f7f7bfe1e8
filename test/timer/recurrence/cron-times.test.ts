import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastCronMs, nextCronMs } from '../../../server/timer/recurrence/cron-times.ts';
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

const zones = ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Santiago', 'UTC'];
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
      const firstMs = wanted[0];
      if (firstMs !== undefined) expect(lastCronMs({ expression, timeZone }, firstMs, toMs)).toBe(wanted.at(-1));
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
