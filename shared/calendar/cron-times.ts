import { LATEST_MS } from '../latest-ms.ts';
import { dayOf, timesOn, wallTimesOf } from './wall-times.ts';
import { zoneOf } from './zone.ts';

/** Minutes, hours, days of the month, months, days of the week, in a time zone by its IANA name. */
export interface CronTimes {
  readonly expression: string;
  readonly timeZone: string;
}

interface Span {
  /** Exclusive. */
  readonly afterMs: number;
  /** Inclusive. */
  readonly byMs: number;
  /** Times that are counted. */
  readonly most: number;
}

interface Found {
  readonly count: number;
  /** The last of them; `afterMs` where there is none. */
  readonly lastMs: number;
}

const DAY_MS = 86_400_000;
/** Between a time on the wall and the same one in UTC, with some to spare. */
const FAR_MS = 3 * DAY_MS;

/** The first time after `afterMs`; undefined when there is none before the clock's end. Throws for what cannot be read. */
export const nextCronMs = (times: CronTimes, afterMs: number): number | undefined => {
  const { count, lastMs } = cronTimesIn(times, { afterMs, byMs: LATEST_MS - 1, most: 1 });
  return count === 1 ? lastMs : undefined;
};

/**
 * Counts the times in a span. An hour or minute that is named does not come twice when clocks go back, and comes at the
 * end of the gap when they go forward; what goes by `*` or `/` follows the clock on the wall. Costs a step for each day of
 * the span, however many times are in it. Throws for what cannot be read.
 */
export const cronTimesIn = ({ expression, timeZone }: CronTimes, { afterMs, byMs, most }: Span): Found => {
  const [wall, zone] = [wallTimesOf(expression), zoneOf(timeZone)];
  let [count, lastMs] = [0, afterMs];
  /** The end of what the wall has shown by then; undefined: of nothing that matters. */
  let shownMs: number | undefined;
  // Clocks go back by a day at most.
  for (let atMs = afterMs - DAY_MS; atMs <= byMs && count < most; ) {
    const { offsetMs, endMs } = zone.stretch(atMs);
    let fromMs = Math.max(atMs, afterMs + 1) + offsetMs;
    if (wall.isNamed && shownMs !== undefined) {
      const gap = { fromMs: shownMs, endMs: atMs + offsetMs, most: 1 };
      // A day that a zone leaves out altogether has no turn.
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
