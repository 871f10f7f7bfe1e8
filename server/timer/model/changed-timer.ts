import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { recurrenceOf, withOneMore } from '../recurrence/recurrence.ts';
import { type DueTime, PAUSED_UNTIL_MS, type Timer } from './timer.ts';
import type { NewTimer, TimerChange } from './timer-changes.ts';

/** The due time that a request means if it is written at `nowMs`. */
export const dueAtOf = ({ dueAtMs, inMs }: DueTime, nowMs: number): number => dueAtMs ?? withinClock(nowMs + inMs);

/** Throws `OptionsRefused` for a due time that lies beyond the clock's end. */
const withinClock = (dueAtMs: number): number => {
  if (Math.abs(dueAtMs) < PAUSED_UNTIL_MS) return dueAtMs;
  throw beyondClock();
};

/** The due time of an `inMs` or `byMs` is known only under the timer's lock. */
export const beyondClock = (cause?: unknown): OptionsRefused => {
  const what = 'lead to a due time beyond the clock, which ends in the year 2109';
  const fault = { path: '`inMs` or `byMs`', code: 'options/invalid', what, remedy: 'give a smaller distance' } as const;
  return new OptionsRefused('timers', [fault], { cause });
};

/** No call is running. */
export const UNCLAIMED = { claims: 0, claimedAtMs: undefined };

/**
 * Sets another due time and resets the attempts. A paused timer stays paused. A due time in the past is tried now: the
 * timer came due by the move, so it is not late.
 */
export const movedTo = ({ isPaused }: Timer, dueAtMs: number, nowMs: number): Partial<Timer> => ({
  dueAtMs,
  fireAtMs: isPaused ? PAUSED_UNTIL_MS : Math.max(dueAtMs, nowMs),
  attempt: 0,
  ...UNCLAIMED,
  lastError: undefined,
});

/** The same text for equal JSON, whatever the order of its properties. */
export const jsonTextOf = (json: unknown): string | undefined =>
  JSON.stringify(json, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );

/** Sets a payload. A different payload is a new order: the next turn, which does not count as one of `times`. */
export const orderedAnew = (timer: Timer, payload: unknown): Partial<Timer> => {
  if (payload === undefined || jsonTextOf(payload) === jsonTextOf(timer.payload)) return {};
  return { payload, turn: timer.turn + 1, recurrence: withOneMore(timer.recurrence) ?? timer.recurrence };
};

/**
 * The fields that a change at `nowMs` sets in a scheduled timer; undefined: nothing changes. Postgres' statements do
 * the same in SQL.
 */
export const changedTimer = (timer: Timer, change: TimerChange, nowMs: number): Partial<Timer> | undefined => {
  switch (change.change) {
    case 'reschedule':
      return movedTo(timer, dueAtOf(change, nowMs), nowMs);
    case 'shift':
      return movedTo(timer, withinClock(timer.dueAtMs + change.byMs), nowMs);
    case 'fire-now': {
      // The recurrence counts from the due time, which this turn retains.
      const kept = timer.recurrence && { dueAtMs: timer.dueAtMs };
      return { ...movedTo({ ...timer, isPaused: false }, nowMs, nowMs), isPaused: false, ...kept };
    }
    case 'set-payload':
      return { ...orderedAnew(timer, change.payload), ...UNCLAIMED, ...(timer.claims > 0 && { fireAtMs: nowMs }) };
    case 'pause':
      return { fireAtMs: PAUSED_UNTIL_MS, isPaused: true, ...UNCLAIMED };
    case 'resume':
      return timer.isPaused ? { fireAtMs: Math.max(timer.dueAtMs, nowMs), isPaused: false } : undefined;
    case 'cancel':
      return { state: 'cancelled', isPaused: false, ...UNCLAIMED };
    case 'complete':
      return { state: 'completed', isPaused: false, ...UNCLAIMED, result: change.result };
    case 'revive':
      return undefined;
  }
};

/** A new timer. `createdAtMs` is the store's time. */
export const newTimer = (id: string, wanted: NewTimer, createdAtMs: number): Timer => ({
  id,
  kind: wanted.kind,
  subject: wanted.subject,
  owner: wanted.owner,
  dueAtMs: dueAtOf(wanted, createdAtMs),
  fireAtMs: dueAtOf(wanted, createdAtMs),
  isPaused: false,
  state: 'scheduled',
  revision: 1,
  attempt: 0,
  turn: 1,
  claims: 0,
  claimedAtMs: undefined,
  payload: wanted.payload,
  recurrence: recurrenceOf(wanted),
  misfire: wanted.misfire,
  lateness: undefined,
  lastError: undefined,
  result: undefined,
  createdAtMs,
  updatedAtMs: createdAtMs,
});
