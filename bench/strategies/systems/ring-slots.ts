/** Slots of a ring, one a second. */
export const SLOTS = 3_600;
export const SECOND_MS = 1_000;

/** The first whole second at which it is due: a ring knows nothing finer. One that is past is taken next. */
export const secondOf = (dueAtMs: number, doneSecond: number): number =>
  Math.max(doneSecond + 1, Math.ceil(dueAtMs / SECOND_MS));

/**
 * How often the cursor passes the slot before the timer is due; `doneSecond` was the last that it read. Counted from
 * the slot's next turn: floor((cursor + delay) / slots), as it is also written, lets a timer whose slot lies behind
 * the cursor wait for a turn too many, and an hour too long.
 */
export const cycleOf = (second: number, doneSecond: number): number => Math.floor((second - doneSecond - 1) / SLOTS);
