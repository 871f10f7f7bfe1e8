import type { MisfirePolicy } from '../recurrence/misfire.ts';
import type { Recurring } from '../recurrence/recurrence.ts';
import type { DueTime, Timer } from './timer.ts';

/** The fields of a timer besides its due time. */
export interface TimerFields extends Recurring {
  readonly kind: string;
  readonly subject: string;
  readonly owner: string;
  /** Any JSON value. */
  readonly payload?: unknown;
  /** Overrides the policy of the kind. */
  readonly misfire?: MisfirePolicy | undefined;
}

export type NewTimer = DueTime & TimerFields;

/** With `orMove` a scheduled timer with the same key is moved, and gets the given payload, recurrence and policy. */
export type ScheduleRequest = NewTimer & { readonly orMove?: boolean };

export type TimerTarget = { readonly timerId: string } | { readonly kind: string; readonly subject: string };

/** A caller's change of one timer. */
export type TimerChange = { readonly target: TimerTarget } & (
  | ({ readonly change: 'reschedule' } & DueTime)
  | { readonly change: 'shift'; readonly byMs: number }
  | { readonly change: 'fire-now' | 'pause' | 'resume' | 'cancel' | 'revive' }
  | { readonly change: 'complete'; readonly result?: unknown }
  | { readonly change: 'set-payload'; readonly payload: unknown }
);

export type ChangeOfMany = { readonly change: 'cancel' } | { readonly change: 'shift'; readonly byMs: number };

/** A caller's change of all scheduled timers of some owners: of all kinds, or of these. */
export type OwnersChange = {
  readonly owners: readonly string[];
  readonly kinds?: readonly string[] | undefined;
} & ChangeOfMany;

/** A caller's change of scheduled timers of kinds: the first `limit` timers behind an id. */
export type KindsChange = {
  readonly kinds: readonly string[];
  readonly afterId: string;
  readonly limit: number;
} & ChangeOfMany;

/** `applied` has the row after the change. `duplicate`: another timer has the key of the timer to
 * revive. `derived`: only the rules of the timer's thing may change this row. */
export type ChangeOutcome =
  | { readonly outcome: 'applied'; readonly timer: Timer }
  | { readonly outcome: 'already-fired' }
  | { readonly outcome: 'not-found' }
  | { readonly outcome: 'duplicate' }
  | { readonly outcome: 'derived' }
  | Reused;

/** The call's idempotency key belongs to another call: nothing was done. */
export interface Reused {
  readonly outcome: 'reused';
}

/**
 * `moved` has the timer with the key, after the move. `duplicate` has the scheduled row with the key, which stays
 * unchanged; a move returns it if the row belongs to another owner.
 */
export type ScheduleOutcome = { readonly outcome: 'applied' | 'moved' | 'duplicate'; readonly timer: Timer };
