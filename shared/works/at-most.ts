import { z } from 'zod';
import { nextCronMs } from '../calendar/cron-times.ts';
import type { Asked, Counters, Refusal } from '../module/module.ts';
import { cron, timeZone } from './window.ts';

/** How often a player may order an activity: in total, or in each period of a calendar. */
export const atMost = z.strictObject({
  times: z.int().min(1).max(1_000_000),
  per: z.strictObject({ cron, timeZone }).optional(),
});

/** No name contains a colon. */
const COUNTER = 'times:';
/** Above the highest `times`. Seconds until 2109 times this are below 2^53. */
const PERIOD = 2 ** 20;

interface Use {
  readonly counters: Readonly<Record<string, number>>;
}

/**
 * The counters after one more use, or the refusal if the bound is reached. Called only at a command. A counter has the
 * end of the period (0: none) in seconds, and below it the count: so of two merged homes the later period counts, and
 * within a period the higher count.
 */
export const useOf = (
  { counters, nowMs, refuse }: Pick<Asked<object, object>, 'counters' | 'nowMs' | 'refuse'>,
  activity: string,
  { times, per }: z.output<typeof atMost>,
): Use | Refusal => {
  const counter = `${COUNTER}${activity}`;
  const value = counters[counter] ?? 0;
  const untilMs = endOf(value);
  const over = overAt(counters, nowMs);
  const isNew = untilMs <= nowMs && (per !== undefined || untilMs > 0);
  if (isNew) {
    const endsAtMs = (per && nextCronMs({ expression: per.cron, timeZone: per.timeZone }, nowMs)) ?? 0;
    return { counters: { ...over, [counter]: Math.ceil(endsAtMs / 1000) * PERIOD + 1 } };
  }
  if (value % PERIOD < times) return { counters: { ...over, [counter]: value + 1 } };
  return refuse('works/at-most', { activity, times, ...(untilMs > 0 && { opensAt: untilMs }) });
};

const endOf = (value: number): number => Math.floor(value / PERIOD) * 1000;

/** Removes the counts of periods that are over, so that earlier rules' activities leave room for new ones. */
const overAt = (counters: Counters, nowMs: number): Use['counters'] =>
  Object.fromEntries(
    Object.entries(counters)
      .filter(([name, value = 0]) => name.startsWith(COUNTER) && value >= PERIOD && endOf(value) <= nowMs)
      .map(([name]) => [name, 0]),
  );
