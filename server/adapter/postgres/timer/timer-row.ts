import { newTimer } from '../../../timer/model/changed-timer.ts';
import type { IndexEntry } from '../../../timer/model/index-entry.ts';
import { PAUSED_UNTIL_MS, type Timer, type TimerState } from '../../../timer/model/timer.ts';
import type { NewTimer } from '../../../timer/model/timer-changes.ts';
import type { SavedTimer, TimersAt } from '../../../timer/model/timer-store.ts';
import { type Lateness, latenessOf, type MisfirePolicy } from '../../../timer/recurrence/misfire.ts';
import type { Recurrence } from '../../../timer/recurrence/recurrence.ts';

/** A row as `pg` returns it: bigint as text, or as a number if the pool parses it so. */
export interface TimerRow {
  readonly id: string | number;
  readonly kind: string;
  readonly subject: string;
  readonly owner: string;
  readonly due_at: string | number;
  readonly fire_at: string | number;
  readonly state: TimerState;
  readonly revision: number;
  readonly attempt: number;
  readonly turn: number;
  readonly claims: number;
  readonly claimed_at: string | number | null;
  readonly payload: unknown;
  readonly payload_is_null: boolean | null;
  readonly recurrence: Recurrence | null;
  readonly misfire: MisfirePolicy | null;
  readonly lateness: Lateness | null;
  readonly last_error: string | null;
  readonly result: unknown;
  readonly created_at: string | number;
  readonly updated_at: string | number;
}

export const timerOf = (row: TimerRow): Timer => ({
  id: String(row.id),
  kind: row.kind,
  subject: row.subject,
  owner: row.owner,
  dueAtMs: Number(row.due_at),
  fireAtMs: Number(row.fire_at),
  isPaused: row.state === 'scheduled' && Number(row.fire_at) === PAUSED_UNTIL_MS,
  state: row.state,
  revision: row.revision,
  attempt: row.attempt,
  turn: row.turn,
  claims: row.claims,
  claimedAtMs: row.claimed_at === null ? undefined : Number(row.claimed_at),
  payload: row.payload ?? (row.payload_is_null ? null : undefined),
  recurrence: row.recurrence ?? undefined,
  misfire: row.misfire ?? undefined,
  lateness: latenessOf(row.lateness, { turn: row.turn, dueAtMs: Number(row.due_at) }),
  lastError: row.last_error ?? undefined,
  result: row.result ?? undefined,
  createdAtMs: Number(row.created_at),
  updatedAtMs: Number(row.updated_at),
});

/** The columns that an insert returns; the rest is known from the request. */
export type NewRow = Pick<TimerRow, 'id' | 'kind' | 'subject' | 'created_at'>;

export const newTimerOf = (wanted: NewTimer, row: NewRow): Timer =>
  newTimer(String(row.id), wanted, Number(row.created_at));

export type SavedRow = Pick<TimerRow, 'id' | 'owner' | 'state' | 'fire_at' | 'revision'>;

export const savedOf = (row: SavedRow): SavedTimer => ({
  id: String(row.id),
  owner: row.owner,
  state: row.state,
  fireAtMs: Number(row.fire_at),
  revision: row.revision,
});

export const indexEntryOf = (row: Pick<TimerRow, 'id' | 'owner' | 'fire_at' | 'revision'>): IndexEntry => ({
  timerId: String(row.id),
  owner: row.owner,
  fireAtMs: Number(row.fire_at),
  revision: row.revision,
});

/** A statement that joins the time to no rows returns one row of nulls. */
export const timersAt = (rows: readonly (TimerRow & { now_ms: string })[]): TimersAt => ({
  timers: rows.flatMap((row) => (row.id === null ? [] : timerOf(row))),
  nowMs: Number(rows[0]?.now_ms),
});

/** The timers with these ids, in the order of the ids. */
export const timersIn = (timers: readonly Timer[], ids: readonly (string | number)[]): readonly Timer[] => {
  const byId = new Map(timers.map((timer) => [timer.id, timer]));
  return ids.flatMap((id) => byId.get(String(id)) ?? []);
};

/** The time from the last of several statements: `pg` returns one result for each. */
export const lastNowMs = (results: unknown): number => {
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined;
  return Number((last as { readonly rows: readonly { readonly now_ms: string }[] } | undefined)?.rows[0]?.now_ms);
};

/** A jsonb parameter. `undefined` becomes SQL's null. */
export const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** The caller's own key of a timer. */
export interface TimerKey {
  readonly kind: string;
  readonly subject: string;
}

/** As one string, for maps. */
export const keyOf = ({ kind, subject }: TimerKey): string => JSON.stringify([kind, subject]);

/** If several timers have one key, the last one counts. */
export const byKey = (timers: readonly Timer[]): Map<string, Timer> =>
  new Map(timers.map((timer) => [keyOf(timer), timer]));

/** As parameters for `unnest`: kinds, subjects. */
export const columnsOf = (keys: readonly TimerKey[]): string[][] => [
  keys.map((key) => key.kind),
  keys.map((key) => key.subject),
];
