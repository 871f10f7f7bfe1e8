import type { Home } from '../../../shared/home.ts';
import type { Modules } from '../../domain/modules.ts';
import { type PresentTimer, type TimerName, timersOf } from '../../domain/timers-of.ts';

/** A scheduled timer row of a thing, as it is. */
export interface DerivedRow extends TimerName {
  readonly dueAtMs: number;
  readonly fireAtMs: number;
}

/** How many rows are not as their homes say: not there, at another time, and of nothing that is due. */
export interface RowDifferences {
  readonly missing: number;
  readonly misplaced: number;
  readonly ghosts: number;
}

/** Longer than any pause after a failed attempt, and than any wait for room. */
const LONGEST_PAUSE_MS = 300_000;

/** Whether it fires when the home wants it, or later because it failed or there was no room. */
export const isInPlace = (row: Omit<DerivedRow, 'kind' | 'subject'>, dueAtMs: number, nowMs: number): boolean =>
  row.dueAtMs === dueAtMs && row.fireAtMs >= dueAtMs && row.fireAtMs <= Math.max(dueAtMs, nowMs) + LONGEST_PAUSE_MS;

/** The rows as timers; one that would not fire in time is at no time at all. */
export const presentIn = (rows: readonly DerivedRow[], nowMs: number): readonly PresentTimer[] =>
  rows.map((row) => ({
    kind: row.kind,
    subject: row.subject,
    dueAtMs: isInPlace(row, row.dueAtMs, nowMs) ? row.dueAtMs : undefined,
  }));

/** Undefined where all rows are as the home says. */
export const rowDifferences = (
  modules: Modules,
  home: Home,
  { rows, nowMs }: { readonly rows: readonly DerivedRow[]; readonly nowMs: number },
): RowDifferences | undefined => {
  const present = new Map(rows.map((row) => [nameOf(row), row]));
  const wanted = timersOf(modules, home);
  const misplaced = wanted.filter(({ dueAtMs, ...name }) => {
    const row = present.get(nameOf(name));
    return row !== undefined && !isInPlace(row, dueAtMs, nowMs);
  }).length;
  const missing = wanted.filter((timer) => !present.has(nameOf(timer))).length;
  const ghosts = rows.length - (wanted.length - missing);
  return missing + misplaced + ghosts === 0 ? undefined : { missing, misplaced, ghosts };
};

const nameOf = ({ kind, subject }: TimerName): string => `${kind} ${subject}`;
