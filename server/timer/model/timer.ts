import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { Lateness, MisfirePolicy } from '../recurrence/misfire.ts';
import type { Recurrence } from '../recurrence/recurrence.ts';

/** `scheduled -> completed | cancelled | dead`, `dead -> scheduled | completed | cancelled`. */
export type TimerState = 'scheduled' | 'completed' | 'cancelled' | 'dead';

/** When a timer is due: an instant in epoch milliseconds, or so long after the store's time under the timer's lock. */
export type DueTime =
  | { readonly dueAtMs: number; readonly inMs?: undefined }
  | { readonly inMs: number; readonly dueAtMs?: undefined };

/**
 * The fire time of a paused timer: the last instant before the clock's end. So no sweep, index or page has to know of
 * pauses. No due time is so late.
 */
export const PAUSED_UNTIL_MS = LATEST_MS - 1;

/** Ids of things' timers are even, those of own kinds odd: an id says which table has the row. */
export const isOfThing = (timerId: string): boolean => Number(timerId.at(-1)) % 2 === 0;

/** The truth about one timer: a row of the timer tables, or of a thing that is due. Instants are epoch milliseconds. */
export interface Timer {
  /** Decimal; of one table ascending in the order of creation. */
  readonly id: string;
  readonly kind: string;
  /** The caller's own key: at most one scheduled timer for each `(kind, subject)`. */
  readonly subject: string;
  /** Whose timer it is; it picks the shard and never changes. */
  readonly owner: string;
  /** When it is due. */
  readonly dueAtMs: number;
  /** When to try next: `dueAtMs`, or later after a failed attempt; `PAUSED_UNTIL_MS` while it is paused. */
  readonly fireAtMs: number;
  /** Held back: it keeps its due time, and fires late if that comes before it is resumed. */
  readonly isPaused: boolean;
  readonly state: TimerState;
  /** The fencing token: every update adds one and says which one it has seen. */
  readonly revision: number;
  /** Failed attempts since the due time was set. */
  readonly attempt: number;
  /** How often this row has come due, from 1: a timer that comes again is the same row with the next turn. */
  readonly turn: number;
  /** How often its call was begun in this attempt without an outcome that was saved. */
  readonly claims: number;
  /** When the call was begun that runs now, or ran when its process died. Undefined: none since the last outcome. */
  readonly claimedAtMs: number | undefined;
  readonly payload: unknown;
  /** How it comes again by itself. */
  readonly recurrence: Recurrence | undefined;
  /** What it has of its own; the rest is as its kind says. */
  readonly misfire: MisfirePolicy | undefined;
  /** Of a turn that was taken late, when it was judged. */
  readonly lateness: Lateness | undefined;
  readonly lastError: string | undefined;
  readonly result: unknown;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A kind as all processes know it. */
export interface RegisteredKind {
  readonly kind: string;
  /** How long completed and cancelled rows are kept; undefined: as long as those of most kinds; 0: not at all. */
  readonly retentionMs: number | undefined;
  /** Whose things' timers they are; undefined: timers of the game's own. */
  readonly module?: string | undefined;
  /** The module was taken out for good: its things have no timers. */
  readonly isRetired?: boolean | undefined;
}
