import { readOptions } from '../options/read-options.ts';
import type { FaultAt } from '../options/schema.ts';
import { fields, instantMs, type Shape, textUpTo } from '../options/shapes.ts';
import { type CronTimes, nextCronMs } from './cron-times.ts';
import { wallTimesOf } from './wall-times.ts';
import { zoneOf } from './zone.ts';

const LONGEST = 256;

/** The schemas of both parts of a calendar, each by itself. */
export const cronShape: Shape<CronTimes> = {
  expression: textUpTo(LONGEST, 'timer/bad-cron'),
  timeZone: textUpTo(LONGEST, 'timer/bad-time-zone'),
};

/** The faults of a calendar. Skips a part that is missing, or that `cronShape` refuses. */
export const cronFaults = ({ expression, timeZone }: { readonly [Part in keyof CronTimes]?: unknown }) => [
  ...faultsOf(expression, wallTimesOf, (text, why) => ({
    ...{ at: ['expression'], code: 'timer/bad-cron' },
    what: `is ${JSON.stringify(text)}, which is no cron expression (${numberFault(text) ?? why})`,
    remedy: 'write minute, hour, day of the month, month and day of the week, as in "30 9 * * 1-5"',
  })),
  ...faultsOf(timeZone, zoneOf, (text, why) => ({
    ...{ at: ['timeZone'], code: 'timer/bad-time-zone' },
    what: `is ${JSON.stringify(text)}, which is no time zone (${why})`,
    remedy: 'give an IANA name such as "Europe/Berlin" or "UTC"',
  })),
];

const faultsOf = (
  part: unknown,
  read: (text: string) => unknown,
  told: (text: string, why: string) => FaultAt,
): readonly FaultAt[] => {
  if (typeof part !== 'string' || part.length > LONGEST) return [];
  try {
    read(part);
    return [];
  } catch (error) {
    return [told(part, error instanceof Error ? error.message : String(error))];
  }
};

const PARTS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of the week', min: 0, max: 7 },
] as const;

/** The number out of bounds: croner's own message counts days and months from 0. */
const numberFault = (expression: string): string | undefined => {
  for (const [at, text] of expression.trim().split(/\s+/).entries()) {
    const part = PARTS[at];
    // Steps, and the number behind `#`, have other bounds.
    const numbers = text.replaceAll(/[/#]\d+/g, '').match(/\d+/g) ?? [];
    const wrong = part && numbers.find((number) => Number(number) < part.min || Number(number) > part.max);
    if (wrong !== undefined && part) return `the ${part.name} is ${wrong}, not ${part.min} to ${part.max}`;
  }
  return undefined;
};

export const nextAtArguments = fields<{ readonly cron: string; readonly timeZone: string; readonly afterMs: number }>(
  { cron: cronShape.expression, timeZone: cronShape.timeZone, afterMs: instantMs() },
  ({ cron: expression, timeZone }) =>
    cronFaults({ expression, timeZone }).map((fault) => ({
      ...fault,
      at: fault.at.map((part) => (part === 'expression' ? 'cron' : part)),
    })),
);

/**
 * The first time of a calendar after `afterMs`, in epoch milliseconds; undefined if there is none. `cron` has five
 * fields or is `@daily` and the like, `timeZone` is an IANA name. When clocks change, it gives the time at which a
 * timer with the same calendar would come. Pure, but it reads the time zones of this process: call it in a rule that
 * decides, and copy the result into the event. Throws `OptionsRefused`.
 */
export const nextAt = (cron: string, timeZone: string, afterMs: number): number | undefined => {
  readOptions(nextAtArguments, { cron, timeZone, afterMs }, 'nextAt');
  return nextCronMs({ expression: cron, timeZone }, afterMs);
};
