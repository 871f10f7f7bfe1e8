import { z } from 'zod';
import { cronFaults } from '../calendar/cron-shape.ts';
import { type CronTimes, cronTimesIn, nextCronMs } from '../calendar/cron-times.ts';
import { ownEntry } from '../items.ts';
import type { Asked, Refusal } from '../module/module.ts';
import { duration, name, namedOf } from '../rule-shapes.ts';

/** The check of an open window costs a step for each week of an opening. */
const MAX_LASTS_DAYS = 366;

const calendarPart = (part: keyof CronTimes) =>
  z
    .string()
    .max(256)
    .superRefine((text, { addIssue }) => {
      const faults = cronFaults({ [part]: text });
      for (const { what, remedy } of faults) addIssue(`${what}: ${remedy}`);
      const isNever =
        faults.length === 0 && nextCronMs({ expression: '@daily', timeZone: 'UTC', [part]: text }, 0) === undefined;
      if (isNever) addIssue(`is ${JSON.stringify(text)}, which never comes`);
    });

export const cron = calendarPart('expression');
export const timeZone = calendarPart('timeZone');

const instant = z.iso
  .datetime({ offset: true, error: 'is no instant with its zone: write "2026-12-24T18:00:00+01:00"' })
  .transform((text) => Date.parse(text));

const window = z
  .strictObject({
    from: instant.optional(),
    until: instant.optional(),
    cron: cron.optional(),
    timeZone: timeZone.optional(),
    lasts: duration(MAX_LASTS_DAYS).optional(),
  })
  .superRefine((own, { addIssue }) => {
    const isWhole = new Set([own.cron, own.timeZone, own.lasts].map((part) => part === undefined)).size === 1;
    if (!isWhole) addIssue('cron, timeZone and lasts belong together');
    else if (opensAtMs({ during: own }, {}, 0) === undefined)
      addIssue({ code: 'custom', path: ['until'], message: OVER });
  });

const OVER = 'it is over before it opens';

/** Windows that several entries share. */
export const windows = namedOf(name, window);

/** Opening hours: after `from`, before `until`, and `during` a window, its own or a shared one. */
export const timed = {
  from: instant.optional(),
  until: instant.optional(),
  during: z.union([name, window]).optional(),
};

const timedObject = z.object(timed);
export type Timed = z.output<typeof timedObject>;
type Window = z.output<typeof window>;
type Windows = Readonly<Record<string, Window>>;

export const hasWindow = ({ from, until, during }: { readonly [Field in keyof Timed]?: unknown }): boolean =>
  (from ?? until ?? during) !== undefined;

/** Its `during` as a window; an unknown name means no window. */
const duringOf = ({ during }: Timed, shared: Windows): Window =>
  (typeof during === 'string' ? ownEntry(shared, during) : during) ?? {};

/** The first open instant from `atMs` on; undefined: never again. */
export const opensAtMs = (own: Timed, shared: Windows, atMs: number): number | undefined => {
  const window = duringOf(own, shared);
  const fromMs = Math.max(atMs, own.from ?? 0, window.from ?? 0);
  const openMs = openingFrom(window, fromMs);
  return openMs !== undefined && openMs < untilMs(own, window) ? openMs : undefined;
};

const untilMs = (own: Timed, window: Window): number =>
  Math.min(own.until ?? Number.POSITIVE_INFINITY, window.until ?? Number.POSITIVE_INFINITY);

/** Overlapping openings count as one. */
const openingFrom = ({ cron: expression, timeZone, lasts }: Window, atMs: number): number | undefined => {
  if (expression === undefined || timeZone === undefined || lasts === undefined) return atMs;
  const times = { expression, timeZone };
  const isOpen = cronTimesIn(times, { afterMs: atMs - lasts, byMs: atMs, most: 1 }).count > 0;
  return isOpen ? atMs : nextCronMs(times, atMs);
};

/** Called only at a command: a run that was started inside may end outside. */
export const whyClosed = (
  { config, nowMs, refuse }: Pick<Asked<object, object, { readonly windows: Windows }>, 'config' | 'nowMs' | 'refuse'>,
  own: Timed,
): Refusal | undefined => {
  const opensAt = opensAtMs(own, config.windows, nowMs);
  if (opensAt === nowMs) return undefined;
  const closedAt = untilMs(own, duringOf(own, config.windows));
  return refuse('works/closed', { ...(opensAt !== undefined && { opensAt }), ...(closedAt <= nowMs && { closedAt }) });
};

/** The shared windows of a file; none if one is unreadable. */
export const windowsIn = (json: unknown): Windows => windows.safeParse(json).data ?? {};

/** Reports a `during` that `from` and `until` exclude. An unreadable entry is skipped. */
export const neverOpen = (own: unknown, shared: Windows): readonly string[] => {
  const read = timedObject.safeParse(own);
  if (!read.success || opensAtMs(read.data, shared, 0) !== undefined) return [];
  return [`${read.data.until === undefined ? 'from' : 'until'}: ${OVER}`];
};
