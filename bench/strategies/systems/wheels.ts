import { SECOND_MS, secondOf } from './ring.ts';
import type { OpenStrategy } from './strategy.ts';
import { untilNext } from './table.ts';

const MINUTE = 60;
const HOUR = 3_600;

/** By timer: the second at which it is due. */
type Slot = Map<number, number>;

/** Wheels of hours, minutes and seconds in this process; when an hour or minute begins, its timers fall to the finer wheel. */
export const wheels: OpenStrategy = async ({ clock, hand }) => {
  const wheelOf = (slots: number): readonly Slot[] => Array.from({ length: slots }, () => new Map());
  const [hours, minutes, seconds] = [wheelOf(24), wheelOf(60), wheelOf(60)];
  let doneSecond = Math.floor(clock.nowMs() / SECOND_MS);
  const slotAt = (wheel: readonly Slot[], at: number): Slot => wheel[at % wheel.length] ?? new Map();
  const slotsOf = (second: number): readonly Slot[] => [
    slotAt(seconds, second),
    slotAt(minutes, Math.floor(second / MINUTE)),
    slotAt(hours, Math.floor(second / HOUR)),
  ];
  /** `from`: the second that is being read or was read last; timers of its minute belong to the finest wheel. */
  const insert = (id: number, second: number, from: number): void => {
    const [ofSecond, ofMinute, ofHour] = slotsOf(second);
    const isOf = (span: number): boolean => Math.floor(second / span) === Math.floor(from / span);
    (isOf(MINUTE) ? ofSecond : isOf(HOUR) ? ofMinute : ofHour)?.set(id, second);
  };
  const fall = (slot: Slot, from: number, span: number): void => {
    for (const [id, second] of [...slot]) {
      if (Math.floor(second / span) !== Math.floor(from / span)) continue;
      slot.delete(id);
      insert(id, second, from);
    }
  };
  const readSecond = (second: number): readonly number[] => {
    if (second % HOUR === 0) fall(slotAt(hours, second / HOUR), second, HOUR);
    if (second % MINUTE === 0) fall(slotAt(minutes, second / MINUTE), second, MINUTE);
    const slot = slotAt(seconds, second);
    const due = [...slot.keys()];
    slot.clear();
    return due;
  };
  const turn = async (): Promise<number> => {
    const second = Math.floor(clock.nowMs() / SECOND_MS);
    while (doneSecond < second) {
      doneSecond += 1;
      const due = readSecond(doneSecond);
      if (due.length > 0) hand(due);
    }
    return untilNext(clock.nowMs(), SECOND_MS);
  };
  return {
    schedule: async (items) => {
      for (const { id, dueAtMs } of items) insert(id, secondOf(dueAtMs, doneSecond), doneSecond);
    },
    move: async (moves) => {
      for (const { id, fromDueAtMs, dueAtMs } of moves) {
        const isWaiting = slotsOf(Math.ceil(fromDueAtMs / SECOND_MS)).some((slot) => slot.delete(id));
        if (isWaiting) insert(id, secondOf(dueAtMs, doneSecond), doneSecond);
      }
    },
    loops: [turn],
    close: async () => undefined,
  };
};
