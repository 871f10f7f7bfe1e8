import { entryOf, type IndexEntry } from '../../model/index-entry.ts';
import type { Timer } from '../../model/timer.ts';

const LEAST_MS = 10;
const MOST_MS = 100;

/**
 * A due timer whose row or owner somebody else has locked comes again in as long as it is late already: a command in
 * passing costs it some milliseconds, and whoever is stuck is asked for ten times a second at most.
 */
export const entryAfterLock = (timer: Timer, nowMs: number): IndexEntry => {
  const pauseMs = Math.min(MOST_MS, Math.max(LEAST_MS, nowMs - timer.fireAtMs));
  return { ...entryOf(timer), fireAtMs: Math.floor(nowMs + pauseMs) };
};
