import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { cronFault, nextCronMs } from './cron-times.ts';
import type { MisfirePolicy } from './misfire.ts';
import {
  type Cron,
  type Ending,
  type Every,
  type Recurrence,
  type Recurring,
  recurrenceOf,
  turnAfter,
} from './recurrence.ts';
import { ScheduleRefused } from './schedule-refused.ts';

/** Below it a timer is a tick; turns are counted in 31 bits. */
const LEAST_MS = 1000;

/** The first time of a checked calendar after `nowMs`. Throws `ScheduleRefused` when there is none. */
export const firstMs = (cron: Cron, nowMs: number): number => nextCronMs(cron, nowMs) ?? refuseNever({ cron }, nowMs);

/** Checks that a timer comes again that is first due at `dueAtMs`. Throws `ScheduleRefused`. */
export const checkComesAgain = (asked: Recurring, dueAtMs: number): void => {
  const recurrence = recurrenceOf(asked);
  if (recurrence && !turnAfter(recurrence, { turn: 1, dueAtMs })) refuseNever(recurrence, dueAtMs);
};

/** Checks it by itself, whenever the timer is due. Throws `ScheduleRefused`. */
export const checkRecurrence = ({ every, cron }: Recurring): void => {
  if (every && cron) {
    const remedy = 'leave one of them out, or schedule two timers';
    throw new ScheduleRefused('timer/two-recurrences', 'a timer comes again by `every` or by `cron`', remedy);
  }
  if (every) checkEvery(every);
  if (cron) checkCron(cron);
};

/** Throws `ScheduleRefused`. A derived kind has none: looking at its owner does what is due, however late. */
export const checkMisfire = (policy: MisfirePolicy, isDerived = false): void => {
  if (isDerived) {
    const what = 'a derived kind has no policy for misfires';
    throw new ScheduleRefused('timer/bad-misfire', what, 'its owner is settled however late: leave it out');
  }
  const { afterMs = 0, late = 'fire', missed = 'last' } = policy;
  const isKnown = ['fire', 'skip', 'hand', 'dead'].includes(late) && ['all', 'last', 'none'].includes(missed);
  if (isKnown && isSpan(afterMs, 0)) return;
  const remedy = 'give afterMs in whole milliseconds, late as fire, skip, hand or dead, missed as all, last or none';
  throw new ScheduleRefused('timer/bad-misfire', `no policy for misfires: ${JSON.stringify(policy)}`, remedy);
};

const refuseNever = (recurrence: Recurrence, afterMs: number): never => {
  const what = `after ${new Date(afterMs).toISOString()} it never comes again: ${JSON.stringify(recurrence)}`;
  const remedy = 'change the interval, the expression or the end, or leave the recurrence out';
  throw new ScheduleRefused('timer/never-again', what, remedy);
};

const checkEvery = (every: Every): void => {
  if (!isSpan(every.ms, LEAST_MS)) {
    const remedy = `give whole milliseconds from ${LEAST_MS} on, that end before the year 2109`;
    throw new ScheduleRefused('timer/bad-interval', `every ${every.ms} ms is no interval`, remedy);
  }
  checkEnd(every);
};

const checkCron = (cron: Cron): void => {
  const fault = cronFault(cron);
  if (fault?.of === 'timeZone') {
    const remedy = 'give an IANA name such as "Europe/Berlin" or "UTC"';
    throw new ScheduleRefused('timer/bad-time-zone', `"${cron.timeZone}" is no time zone (${fault.why})`, remedy);
  }
  if (fault) {
    const remedy = 'write minute, hour, day of the month, month and day of the week, as in "30 9 * * 1-5"';
    throw new ScheduleRefused('timer/bad-cron', `"${cron.expression}" is no cron expression (${fault.why})`, remedy);
  }
  checkEnd(cron);
};

const checkEnd = ({ untilMs = 0, times = 2 }: Ending): void => {
  if (Number.isInteger(untilMs) && Math.abs(untilMs) < LATEST_MS && Number.isInteger(times) && times >= 2) return;
  const remedy = 'give untilMs as an instant in epoch milliseconds, times as a whole number from 2 on';
  throw new ScheduleRefused('timer/bad-end', `no end of a recurrence: ${JSON.stringify({ untilMs, times })}`, remedy);
};

const isSpan = (ms: number, leastMs: number): boolean => Number.isInteger(ms) && ms >= leastMs && ms < LATEST_MS;
