import type { MisfirePolicy } from '../recurrence/misfire.ts';
import type { Recurring } from '../recurrence/recurrence.ts';
import type { DueTime, Timer } from './timer.ts';

/** What a timer is, whenever it is due. */
export interface TimerFields extends Recurring {
  readonly kind: string;
  readonly subject: string;
  readonly owner: string;
  /** Anything that JSON can say. */
  readonly payload?: unknown;
  /** Where it is not as its kind says. */
  readonly misfire?: MisfirePolicy | undefined;
}

export type NewTimer = DueTime & TimerFields;

/** With `orMove` the scheduled timer that has the key is moved, and gets the payload, recurrence and policy that are given. */
export type ScheduleRequest = NewTimer & { readonly orMove?: boolean };

export type TimerTarget = { readonly timerId: string } | { readonly kind: string; readonly subject: string };

/** What one caller wants of one timer. */
export type TimerChange = { readonly target: TimerTarget } & (
  | ({ readonly change: 'reschedule' } & DueTime)
  | { readonly change: 'shift'; readonly byMs: number }
  | { readonly change: 'fire-now' | 'pause' | 'resume' | 'cancel' | 'revive' }
  | { readonly change: 'complete'; readonly result?: unknown }
  | { readonly change: 'set-payload'; readonly payload: unknown }
);

export type ChangeOfMany = { readonly change: 'cancel' } | { readonly change: 'shift'; readonly byMs: number };

/** What one caller wants of all scheduled timers of some owners: of all kinds, or of these. */
export type OwnersChange = {
  readonly owners: readonly string[];
  readonly kinds?: readonly string[] | undefined;
} & ChangeOfMany;

/** What one caller wants of all scheduled timers of kinds: of the first `limit` behind an id. */
export type KindsChange = {
  readonly kinds: readonly string[];
  readonly afterId: string;
  readonly limit: number;
} & ChangeOfMany;

/** `applied` carries the row as it is afterwards. `duplicate`: another timer has the key of the one to
 * revive. `derived`: only the path of its state may change this row. */
export type ChangeOutcome =
  | { readonly outcome: 'applied'; readonly timer: Timer }
  | { readonly outcome: 'already-fired' }
  | { readonly outcome: 'not-found' }
  | { readonly outcome: 'duplicate' }
  | { readonly outcome: 'derived' }
  | Reused;

/** The call's idempotency key was used for another call: nothing was done. */
export interface Reused {
  readonly outcome: 'reused';
}

/**
 * `moved`: the timer that has the key, as it is afterwards. `duplicate` carries the scheduled row that has the key and
 * stays as it is; one that was to be moved does so where it is another owner's.
 */
export type ScheduleOutcome = { readonly outcome: 'applied' | 'moved' | 'duplicate'; readonly timer: Timer };
