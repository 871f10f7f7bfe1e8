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
const UNTIL = 'until:';

interface Use {
  readonly counters: Readonly<Record<string, number>>;
}

/** The counters after one more use, or the refusal if the bound is reached. Called only at a command. */
export const useOf = (
  { counters, nowMs, refuse }: Pick<Asked<object, object>, 'counters' | 'nowMs' | 'refuse'>,
  activity: string,
  { times, per }: z.output<typeof atMost>,
): Use | Refusal => {
  const [count, until] = [`times:${activity}`, `${UNTIL}${activity}`];
  const { [count]: used = 0, [until]: untilMs = 0 } = counters;
  const over = overAt(counters, nowMs);
  const isNew = untilMs <= nowMs && (per !== undefined || untilMs > 0);
  if (isNew) {
    const endsAtMs = per && nextCronMs({ expression: per.cron, timeZone: per.timeZone }, nowMs);
    return { counters: { ...over, [count]: 1, [until]: endsAtMs ?? 0 } };
  }
  if (used < times) return { counters: { ...over, [count]: used + 1 } };
  return refuse('works/at-most', { activity, times, ...(untilMs > 0 && { opensAt: untilMs }) });
};

/** Removes the counts of periods that are over, so that earlier rules' activities leave room for new ones. */
const overAt = (counters: Counters, nowMs: number): Use['counters'] =>
  Object.fromEntries(
    Object.entries(counters)
      .filter(([name, untilMs = 0]) => name.startsWith(UNTIL) && untilMs <= nowMs)
      .flatMap(([name]) => [name, `times:${name.slice(UNTIL.length)}`].map((counter) => [counter, 0])),
  );
