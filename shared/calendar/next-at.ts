import { readOptions } from '../options/read-options.ts';
import { fields, instantMs } from '../options/shapes.ts';
import { cronFaults, cronShape } from './cron-shape.ts';
import { nextCronMs } from './cron-times.ts';

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
