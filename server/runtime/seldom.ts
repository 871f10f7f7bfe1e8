import type { Clock } from './clock.ts';

const EVERY_MS = 60_000;
/** Names come from rows, so there may be any number. */
const MOST_NAMES = 1000;

/** Says of what repeats all the time that it is time to speak of it: the first time, and then once a minute for each name. */
export const seldom = (clock: Pick<Clock, 'monotonicMs'>): ((name: string) => boolean) => {
  const saidAtMs = new Map<string, number>();
  return (name) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - (saidAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return false;
    if (saidAtMs.size >= MOST_NAMES) saidAtMs.clear();
    saidAtMs.set(name, nowMs);
    return true;
  };
};
