import type { Home } from '../../../shared/home.ts';
import { type PresentTimer, timersOf } from '../../domain/timers-of.ts';

/** A scheduled timer row of a feeding, as it is. */
export interface FeedingRow {
  readonly subject: string;
  readonly dueAtMs: number;
  readonly fireAtMs: number;
}

/** How many rows are not as their homes say: not there, at another time, and of no feeding that runs. */
export interface RowDifferences {
  readonly missing: number;
  readonly misplaced: number;
  readonly ghosts: number;
}

/** Longer than any pause after a failed attempt, and than any wait for room. */
const LONGEST_PAUSE_MS = 300_000;

/** Whether it fires when the home wants it, or later because it failed or there was no room. */
export const isInPlace = (row: Omit<FeedingRow, 'subject'>, dueAtMs: number, nowMs: number): boolean =>
  row.dueAtMs === dueAtMs && row.fireAtMs >= dueAtMs && row.fireAtMs <= Math.max(dueAtMs, nowMs) + LONGEST_PAUSE_MS;

/** The rows as timers; one that would not fire in time is at no time at all. */
export const presentIn = (rows: readonly FeedingRow[], nowMs: number): readonly PresentTimer[] =>
  rows.map((row) => ({
    subject: row.subject,
    dueAtMs: isInPlace(row, row.dueAtMs, nowMs) ? row.dueAtMs : undefined,
  }));

/** Undefined where all rows are as the home says. */
export const rowDifferences = (home: Home, rows: readonly FeedingRow[], nowMs: number): RowDifferences | undefined => {
  const present = new Map(rows.map((row) => [row.subject, row]));
  const wanted = timersOf(home);
  const misplaced = wanted.filter(({ subject, dueAtMs }) => {
    const row = present.get(subject);
    return row !== undefined && !isInPlace(row, dueAtMs, nowMs);
  }).length;
  const missing = wanted.filter(({ subject }) => !present.has(subject)).length;
  const ghosts = rows.length - (wanted.length - missing);
  return missing + misplaced + ghosts === 0 ? undefined : { missing, misplaced, ghosts };
};
