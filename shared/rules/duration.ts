import { z } from 'zod';

const DAY_MS = 86_400_000;
/** "1d12h", "90s", "250ms": the larger units first. */
const TEXT = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;
const UNITS_MS = [DAY_MS, 3_600_000, 60_000, 1000, 1];

/** Milliseconds; undefined for what is no duration. */
export const durationMsOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  const found = typeof value === 'string' && value !== '' ? TEXT.exec(value) : null;
  return found?.slice(1).reduce((sumMs, count, at) => sumMs + Number(count ?? 0) * (UNITS_MS[at] ?? 0), 0);
};

/** What JSON Schema says of it. */
const ON_PAPER = {
  anyOf: [
    { type: 'integer', minimum: 1 },
    { type: 'string', pattern: TEXT.source, minLength: 2 },
  ],
};

/** A whole number of milliseconds, or text; read as milliseconds, 1 to that many days. */
export const duration = (maxDays: number) =>
  z
    .custom<number | string>()
    .meta(ON_PAPER)
    .transform((value, context) => {
      const ms = durationMsOf(value);
      if (ms !== undefined && ms >= 1 && ms <= maxDays * DAY_MS) return ms;
      context.addIssue(`is no time from 1 ms to ${maxDays}d: write whole milliseconds, or "90s", "1h30m", "2d"`);
      return z.NEVER;
    });
