import type { Clock } from '../timer/clock.ts';

/** `setTimeout` fires at once for a longer delay. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** The machine's clock: the one place that reads it or sets a timer. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, callback) => {
    let timeout: NodeJS.Timeout;
    const endsAtMs = performance.now() + delayMs;
    const wait = (): void => {
      const restMs = endsAtMs - performance.now();
      if (restMs <= 0) callback();
      else timeout = setTimeout(wait, Math.min(Math.ceil(restMs), LONGEST_DELAY_MS));
    };
    timeout = setTimeout(wait, Math.min(Math.max(0, Math.ceil(delayMs)), LONGEST_DELAY_MS));
    return () => clearTimeout(timeout);
  },
};
