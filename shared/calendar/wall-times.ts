import { Cron as Pattern } from 'croner';
import { LATEST_MS } from '../latest-ms.ts';
import { remembered } from './zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Parsed expressions that are cached. A game has few; parsing finds the times one by one, about 50 us each. */
const MOST_KEPT = 1000;
/** Days that are cached for each text of three day fields: more than a late timer reads, which counts 1,000 turns. */
const MOST_DAYS = 6000;

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
};

/** The local times of an expression, on a clock that never changes. They are written as if it were in UTC. */
export interface WallTimes {
  /** The times of a matching day, ascending, from its midnight. */
  readonly times: readonly number[];
  /** Minute and hour are named: neither uses `*` or `/`. */
  readonly isNamed: boolean;
  /** The first matching day from this one on, by its midnight; undefined if there is none before the clock's end. */
  readonly nextDay: (dayMs: number) => number | undefined;
}

/** Throws for an invalid expression. */
export const wallTimesOf = remembered(MOST_KEPT, (expression: string): WallTimes => {
  const [minute = '', hour = '', ...day] = fieldsOf(expression);
  if (day.length !== 3) throw new Error('it has not five fields');
  const times = hoursOf(hour).flatMap((hourMs) => minutesOf(minute).map((minuteMs) => hourMs + minuteMs));
  return { times, isNamed: !/[*/?]/.test(minute + hour), nextDay: daysOf(day.join(' ')) };
});

const fieldsOf = (expression: string): readonly string[] => {
  const trimmed = expression.trim();
  return (NICKNAMES[trimmed.toLowerCase()] ?? trimmed).split(/\s+/);
};

const patternOf = (expression: string): Pattern => new Pattern(expression, { utcOffset: 0, mode: '5-part' });

const minutesOf = remembered(MOST_KEPT, (field: string) => timesBefore(patternOf(`${field} * * * *`), HOUR_MS));
const hoursOf = remembered(MOST_KEPT, (field: string) => timesBefore(patternOf(`0 ${field} * * *`), DAY_MS));

const timesBefore = (pattern: Pattern, endMs: number): readonly number[] => {
  const times: number[] = [];
  for (let atMs = nextOf(pattern, -1); atMs !== undefined && atMs < endMs; atMs = nextOf(pattern, atMs))
    times.push(atMs);
  return times;
};

const daysOf = remembered(MOST_KEPT, (fields: string) => {
  if (/^[*?] [*?] [*?]$/.test(fields)) return (dayMs: number): number | undefined => dayMs;
  const pattern = patternOf(`0 0 ${fields}`);
  return remembered(MOST_DAYS, (dayMs: number) => nextOf(pattern, dayMs - 1));
});

const nextOf = (pattern: Pattern, afterMs: number): number | undefined => {
  const nextMs = pattern.nextRun(new Date(afterMs))?.getTime();
  return nextMs === undefined || nextMs >= LATEST_MS + DAY_MS ? undefined : nextMs;
};

interface WallSpan {
  readonly fromMs: number;
  /** Exclusive. */
  readonly endMs: number;
  /** The most times to count. */
  readonly most: number;
}

/** The midnight before. */
export const dayOf = (wallMs: number): number => Math.floor(wallMs / DAY_MS) * DAY_MS;

/** Counts the times in a span of local time. */
export const timesOn = ({ times, nextDay }: WallTimes, { fromMs, endMs, most }: WallSpan) => {
  let [count, lastMs] = [0, fromMs];
  for (let dayMs = nextDay(dayOf(fromMs)); dayMs !== undefined && dayMs < endMs && count < most; ) {
    const first = placeOf(times, fromMs - dayMs);
    const here = Math.min(placeOf(times, endMs - dayMs) - first, most - count);
    if (here > 0) [count, lastMs] = [count + here, dayMs + (times[first + here - 1] ?? 0)];
    dayMs = nextDay(dayMs + DAY_MS);
  }
  return { count, lastMs };
};

/** The number of times before an instant. */
const placeOf = (times: readonly number[], ms: number): number => {
  let [from, end] = [0, ms > 0 ? times.length : 0];
  while (from < end) {
    const middle = (from + end) >> 1;
    if ((times[middle] ?? 0) < ms) from = middle + 1;
    else end = middle;
  }
  return from;
};
