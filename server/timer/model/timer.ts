import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { Lateness, MisfirePolicy } from '../recurrence/misfire.ts';
import type { Recurrence } from '../recurrence/recurrence.ts';

/** `scheduled -> completed | cancelled | dead`, `dead -> scheduled | completed | cancelled`. */
export type TimerState = 'scheduled' | 'completed' | 'cancelled' | 'dead';

/** The due time: an instant in epoch milliseconds, or a distance from the store's time under the timer's lock. */
export type DueTime =
  | { readonly dueAtMs: number; readonly inMs?: undefined }
  | { readonly inMs: number; readonly dueAtMs?: undefined };

/**
 * The fire time of a paused timer: the last instant before the clock's end, later than any due time. So sweep, index
 * and pages need no rule for pauses.
 */
export const PAUSED_UNTIL_MS = LATEST_MS - 1;

/** Ids of things' timers are even, those of own kinds odd: the id tells which table has the row. */
export const isOfThing = (timerId: string): boolean => Number(timerId.at(-1)) % 2 === 0;

/** The truth about one timer: a row of the timer tables, or of a thing with a due time. Instants are epoch milliseconds. */
export interface Timer {
  /** Decimal; in one table ascending in the order of creation. */
  readonly id: string;
  readonly kind: string;
  /** The caller's own key: at most one scheduled timer for each `(kind, subject)`. */
  readonly subject: string;
  /** The owner of the timer; it decides the shard and never changes. */
  readonly owner: string;
  /** When it is due. */
  readonly dueAtMs: number;
  /** The time of the next try: `dueAtMs`, or later after a failed attempt; `PAUSED_UNTIL_MS` while paused. */
  readonly fireAtMs: number;
  /** A paused timer retains its due time, and fires late if that comes before `resume`. */
  readonly isPaused: boolean;
  readonly state: TimerState;
  /** The fencing token: each update adds one, and names the revision that it expects. */
  readonly revision: number;
  /** Failed attempts since the due time was set. */
  readonly attempt: number;
  /** How often this row has come due, from 1: when a timer comes again, the same row gets the next turn. */
  readonly turn: number;
  /** How many calls of this attempt began without a saved outcome. */
  readonly claims: number;
  /** When the current call began, or the one that died with its process. Undefined: none since the last outcome. */
  readonly claimedAtMs: number | undefined;
  readonly payload: unknown;
  /** How it comes again by itself. */
  readonly recurrence: Recurrence | undefined;
  /** The timer's own policy; the kind's policy supplies the rest. */
  readonly misfire: MisfirePolicy | undefined;
  /** The judgement of a late turn. */
  readonly lateness: Lateness | undefined;
  readonly lastError: string | undefined;
  readonly result: unknown;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A kind as all processes know it. */
export interface RegisteredKind {
  readonly kind: string;
  /** How long completed and cancelled rows are retained; undefined: the default; 0: not at all. */
  readonly retentionMs: number | undefined;
  /** The module of the things with these timers; undefined: an own kind of the game. */
  readonly module?: string | undefined;
  /** The module was removed for good: its things have no timers. */
  readonly isRetired?: boolean | undefined;
}
