import type { Clock } from './clock.ts';

const EVERY_MS = 60_000;
/** Names come from rows, so their number has no bound of its own. */
const MOST_NAMES = 1000;

/** For what repeats all the time: true the first time, and then at most once a minute for each name. */
export const throttle = (clock: Pick<Clock, 'monotonicMs'>): ((name: string) => boolean) => {
  const saidAtMs = new Map<string, number>();
  return (name) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - (saidAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return false;
    if (saidAtMs.size >= MOST_NAMES) saidAtMs.clear();
    saidAtMs.set(name, nowMs);
    return true;
  };
};
