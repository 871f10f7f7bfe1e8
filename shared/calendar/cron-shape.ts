import { type FaultAt, type Shape, textOf } from '../options/shapes.ts';
import { type CronTimes, cronFault } from './cron-times.ts';

const LONGEST = 256;

/** What reads both parts of a calendar, each by itself. */
export const cronShape: Shape<CronTimes> = {
  expression: textOf(LONGEST, 'timer/bad-cron'),
  timeZone: textOf(LONGEST, 'timer/bad-time-zone'),
};

/** What cannot be read of a calendar; nothing where a part is no text, which `cronShape` finds. */
export const cronFaults = ({ expression, timeZone }: { readonly [Part in keyof CronTimes]?: unknown }) =>
  typeof expression === 'string' && typeof timeZone === 'string' ? faultsOf({ expression, timeZone }) : [];

const faultsOf = (times: CronTimes): readonly FaultAt[] => {
  const fault = cronFault(times);
  if (!fault) return [];
  const { of, why } = fault;
  if (of === 'timeZone') {
    const remedy = 'give an IANA name such as "Europe/Berlin" or "UTC"';
    const what = `is ${JSON.stringify(times.timeZone)}, which is no time zone (${why})`;
    return [{ at: [of], code: 'timer/bad-time-zone', what, remedy }];
  }
  const remedy = 'write minute, hour, day of the month, month and day of the week, as in "30 9 * * 1-5"';
  const what = `is ${JSON.stringify(times.expression)}, which is no cron expression (${numberFault(times) ?? why})`;
  return [{ at: [of], code: 'timer/bad-cron', what, remedy }];
};

const PARTS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of the week', min: 0, max: 7 },
] as const;

/** The number that is out of its bounds: croner counts days and months from 0 when it names them. */
const numberFault = ({ expression }: CronTimes): string | undefined => {
  for (const [at, text] of expression.trim().split(/\s+/).entries()) {
    const part = PARTS[at];
    // Steps, and which of a month's Mondays, are counted otherwise.
    const numbers = text.replaceAll(/[/#]\d+/g, '').match(/\d+/g) ?? [];
    const wrong = part && numbers.find((number) => Number(number) < part.min || Number(number) > part.max);
    if (wrong !== undefined && part) return `the ${part.name} is ${wrong}, not ${part.min} to ${part.max}`;
  }
  return undefined;
};
