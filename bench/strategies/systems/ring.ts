import type { Item, OpenStrategy } from './strategy.ts';
import { untilNext } from './table.ts';

/** Slots of a ring, one a second. */
export const SLOTS = 3_600;
export const SECOND_MS = 1_000;

/** The first whole second at which it is due: a ring knows nothing finer. A past one is taken next. */
export const secondOf = (dueAtMs: number, doneSecond: number): number =>
  Math.max(doneSecond + 1, Math.ceil(dueAtMs / SECOND_MS));

/**
 * How often the cursor passes the slot before the timer is due; `doneSecond` is the last read one. Counted from the
 * slot's next turn. The other common formula, floor((cursor + delay) / slots), makes a timer in a slot behind the
 * cursor wait a turn, an hour, too long.
 */
export const cycleOf = (second: number, doneSecond: number): number => Math.floor((second - doneSecond - 1) / SLOTS);

/** One ring of 3,600 slots in this process, each with its timers and their remaining turns. */
export const ring: OpenStrategy = async ({ clock, hand }) => {
  const slots = Array.from({ length: SLOTS }, () => new Map<number, number>());
  let doneSecond = Math.floor(clock.nowMs() / SECOND_MS);
  const slotOf = (second: number): Map<number, number> | undefined => slots[second % SLOTS];
  const insert = ({ id, dueAtMs }: Item): void => {
    const second = secondOf(dueAtMs, doneSecond);
    slotOf(second)?.set(id, cycleOf(second, doneSecond));
  };
  const passSlot = (slot: Map<number, number>): readonly number[] => {
    const due: number[] = [];
    for (const [id, cycle] of slot) {
      if (cycle > 0) slot.set(id, cycle - 1);
      else {
        slot.delete(id);
        due.push(id);
      }
    }
    return due;
  };
  const turn = async (): Promise<number> => {
    const second = Math.floor(clock.nowMs() / SECOND_MS);
    while (doneSecond < second) {
      doneSecond += 1;
      const due = passSlot(slotOf(doneSecond) ?? new Map());
      if (due.length > 0) hand(due);
    }
    return untilNext(clock.nowMs(), SECOND_MS);
  };
  return {
    schedule: async (items) => items.forEach(insert),
    move: async (moves) => {
      for (const move of moves) {
        const isWaiting = slotOf(Math.ceil(move.fromDueAtMs / SECOND_MS))?.delete(move.id);
        if (isWaiting) insert(move);
      }
    },
    loops: [turn],
    close: async () => undefined,
  };
};
