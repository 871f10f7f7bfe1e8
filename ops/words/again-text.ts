import type { OpsRecurrence } from '../../shared/ops/ops-timer.ts';
import { fullInstant, number, span } from './formats.ts';

const DAY_MS = 86_400_000;

/** A timer's recurrence: `1 d, ×7` or `0 5 * * * (Europe/Paris), → 24 Dec`. */
export const againText = (recurrence: OpsRecurrence): string => {
  if ('every' in recurrence) {
    const { ms, days = 0, timeZone, ...end } = recurrence.every;
    return [ms === undefined ? `${span(days * DAY_MS)} (${timeZone})` : span(ms), ...endOf(end)].join(', ');
  }
  const { expression, timeZone, ...end } = recurrence.cron;
  return [`${expression} (${timeZone})`, ...endOf(end)].join(', ');
};

interface End {
  readonly times?: number | undefined;
  readonly untilMs?: number | undefined;
}

const endOf = ({ times, untilMs }: End): readonly string[] => [
  ...(times ? [`×${number(times)}`] : []),
  ...(untilMs ? [`→ ${fullInstant(untilMs)}`] : []),
];
