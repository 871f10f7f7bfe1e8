import { LATEST_MS } from '../latest-ms.ts';
import { dayOf, timesOn, wallTimesOf } from './wall-times.ts';
import { zoneOf } from './zone.ts';

/** Minutes, hours, days of the month, months and days of the week, in a time zone with its IANA name. */
export interface CronTimes {
  readonly expression: string;
  readonly timeZone: string;
}

export interface Span {
  /** Exclusive. */
  readonly afterMs: number;
  /** Inclusive. */
  readonly byMs: number;
  /** The most times to count. */
  readonly most: number;
}

interface Found {
  readonly count: number;
  /** The last time found; `afterMs` if there is none. */
  readonly lastMs: number;
}

const DAY_MS = 86_400_000;
/** More than the largest difference between a local time and the same time in UTC. */
const FAR_MS = 3 * DAY_MS;

/** The first time after `afterMs`; undefined if there is none before the clock's end. Throws for an invalid calendar. */
export const nextCronMs = (times: CronTimes, afterMs: number): number | undefined => {
  const { count, lastMs } = cronTimesIn(times, { afterMs, byMs: LATEST_MS - 1, most: 1 });
  return count === 1 ? lastMs : undefined;
};

/**
 * Counts the times in a span. If hour and minute are both named, no time comes twice when clocks go back, and the times
 * of a gap come once, at its end, when clocks go forward. With `*`, `?` or `/` in either field, times follow the local
 * clock. Costs a step for each day of the span, however many times it has. Throws for an invalid calendar.
 */
export const cronTimesIn = ({ expression, timeZone }: CronTimes, { afterMs, byMs, most }: Span): Found => {
  const [wall, zone] = [wallTimesOf(expression), zoneOf(timeZone)];
  let [count, lastMs] = [0, afterMs];
  /** The end of the local times that were shown so far; undefined: none that matter. */
  let shownMs: number | undefined;
  // Clocks go back by a day at most.
  for (let atMs = afterMs - DAY_MS; atMs <= byMs && count < most; ) {
    const { offsetMs, endMs } = zone.stretch(atMs);
    let fromMs = Math.max(atMs, afterMs + 1) + offsetMs;
    if (wall.isNamed && shownMs !== undefined) {
      const gap = { fromMs: shownMs, endMs: atMs + offsetMs, most: 1 };
      // A day that a zone skips as a whole has no turn.
      const isInGap = atMs > afterMs && gap.endMs - gap.fromMs < DAY_MS && timesOn(wall, gap).count > 0;
      if (isInGap) [count, lastMs] = [count + 1, atMs];
      fromMs = Math.max(fromMs, isInGap ? gap.endMs + 1 : shownMs);
    }
    const here = timesOn(wall, { fromMs, endMs: Math.min(endMs, byMs + 1) + offsetMs, most: most - count });
    if (here.count > 0) [count, lastMs] = [count + here.count, here.lastMs - offsetMs];
    shownMs = Math.max(shownMs ?? endMs + offsetMs, endMs + offsetMs);
    atMs = endMs;
    const nextDayMs = wall.nextDay(dayOf(endMs + offsetMs) - DAY_MS);
    if (nextDayMs === undefined) break;
    if (nextDayMs - FAR_MS > atMs) [atMs, shownMs] = [nextDayMs - FAR_MS, undefined];
  }
  return { count, lastMs };
};
