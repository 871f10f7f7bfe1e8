import { entryOf, type IndexEntry } from '../../model/index-entry.ts';
import type { Timer } from '../../model/timer.ts';

const LEAST_MS = 10;
const MOST_MS = 100;

/**
 * When to try a due timer again whose row or owner another transaction has locked: after as long as it is late already. A
 * short command delays it by some milliseconds, and a stuck lock is tried at most ten times a second.
 */
export const retryAfterLock = (timer: Timer, nowMs: number): IndexEntry => {
  const pauseMs = Math.min(MOST_MS, Math.max(LEAST_MS, nowMs - timer.fireAtMs));
  return { ...entryOf(timer), fireAtMs: Math.floor(nowMs + pauseMs) };
};
