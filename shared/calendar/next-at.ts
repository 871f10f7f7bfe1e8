import { readOptions } from '../options/read-options.ts';
import { fields, instantMs } from '../options/shapes.ts';
import { cronFaults, cronShape } from './cron-shape.ts';
import { nextCronMs } from './cron-times.ts';

/** The arguments of `nextAt`. */
export const nextAtArguments = fields<{ readonly cron: string; readonly timeZone: string; readonly afterMs: number }>(
  { cron: cronShape.expression, timeZone: cronShape.timeZone, afterMs: instantMs() },
  ({ cron: expression, timeZone }) =>
    cronFaults({ expression, timeZone }).map((fault) => ({
      ...fault,
      at: fault.at.map((part) => (part === 'expression' ? 'cron' : part)),
    })),
);

/**
 * The first instant after `afterMs` at which a calendar comes, in epoch milliseconds; undefined when it never does. `cron` has
 * five fields or is `@daily` and the like, `timeZone` is an IANA name. In the nights when clocks change it comes as a timer by
 * the same calendar does. Pure, but it reads the time zones that this process knows: call it where something is decided, and
 * copy what it returns into the event. Throws `OptionsRefused`.
 */
export const nextAt = (cron: string, timeZone: string, afterMs: number): number | undefined => {
  readOptions(nextAtArguments, { cron, timeZone, afterMs }, 'nextAt');
  return nextCronMs({ expression: cron, timeZone }, afterMs);
};
