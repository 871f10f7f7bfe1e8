import { Cron as Pattern } from 'croner';
import { LATEST_MS } from '../../../shared/latest-ms.ts';

/** Minutes, hours, days of the month, months, days of the week, in a time zone by its IANA name. */
export interface CronTimes {
  readonly expression: string;
  readonly timeZone: string;
}

const MINUTE_MS = 60_000;
/** Expressions that are kept read. A game has few, in as many zones as its players live in. */
const MOST_KEPT = 1000;
const LONGEST = 256;

interface Kept {
  readonly pattern: Pattern;
  /** The last that was asked: timers that are due together ask the same. */
  asked: { readonly afterMs: number; readonly nextMs: number | undefined } | undefined;
}

const kept = new Map<string, Kept>();

/**
 * The first time of the expression after `afterMs`; undefined when there is none before the clock's end. An hour or minute that
 * is named does not come twice when clocks go back, and comes at the end of the gap when they go forward; what goes by
 * `*` or `/` follows the clock on the wall. Throws for what cannot be read.
 */
export const nextCronMs = (times: CronTimes, afterMs: number): number | undefined => {
  const one = keptOf(times);
  if (one.asked?.afterMs !== afterMs) one.asked = { afterMs, nextMs: find(one.pattern, afterMs) };
  return one.asked.nextMs;
};

/** The last time that is not after `byMs`; `fromMs` is a time of it, too. */
export const lastCronMs = (times: CronTimes, fromMs: number, byMs: number): number => {
  const { pattern } = keptOf(times);
  // No time lies after `endMs`; each round takes half of what is between.
  let [lastMs, endMs] = [fromMs, byMs];
  while (endMs - lastMs >= MINUTE_MS) {
    const middleMs = lastMs + Math.floor((endMs - lastMs) / 2);
    const nextMs = find(pattern, middleMs);
    if (nextMs !== undefined && nextMs <= byMs) lastMs = nextMs;
    else endMs = middleMs;
  }
  return lastMs;
};

/** What of it cannot be read, and why; undefined when all can. */
export const cronFault = (times: CronTimes): { readonly of: keyof CronTimes; readonly why: string } | undefined => {
  const { expression, timeZone } = times;
  if (kept.has(nameOf(times))) return undefined;
  if (expression.length > LONGEST || timeZone.length > LONGEST) return { of: 'expression', why: 'it is too long' };
  if (expression.trim().split(/\s+/).length !== 5) return { of: 'expression', why: 'it has not five fields' };
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (error) {
    return { of: 'timeZone', why: messageOf(error) };
  }
  try {
    keptOf(times);
    return undefined;
  } catch (error) {
    return { of: 'expression', why: messageOf(error) };
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const nameOf = ({ expression, timeZone }: CronTimes): string => `${timeZone} ${expression}`;

const keptOf = (times: CronTimes): Kept => {
  const name = nameOf(times);
  const present = kept.get(name);
  if (present) return present;
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= MOST_KEPT) kept.delete(oldest);
  const { expression, timeZone } = times;
  const pattern = new Pattern(expression, { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard' });
  const one: Kept = { pattern, asked: undefined };
  kept.set(name, one);
  return one;
};

const find = (pattern: Pattern, afterMs: number): number | undefined => {
  const nextMs = pattern.nextRun(new Date(afterMs))?.getTime();
  return nextMs === undefined || nextMs >= LATEST_MS ? undefined : nextMs;
};
