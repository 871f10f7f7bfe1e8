import { entryOf, type IndexEntry } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';

/** The entry with which a timer comes again that another transaction had locked: after as long as it was late already. */
export const afterLock = (timer: Timer, nowMs: number): IndexEntry => ({
  ...entryOf(timer),
  fireAtMs: nowMs + Math.min(100, Math.max(10, nowMs - timer.fireAtMs)),
});
