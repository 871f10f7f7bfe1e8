import os from 'node:os';
import type { Clock } from '../../runtime/clock.ts';
import type { ClockWitness } from '../../timer/clock/clock-watch.ts';

/** With a longer delay `setTimeout` fires at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** The machine's clock: the one place that reads it or sets a timer. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
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

/** Resolves after input and timers that are ready now were handled. Takes no time by any clock. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Clocks of this machine that can show whether the database's clock jumped, or the monotonic clock stood still. */
export const machineWitnesses: readonly ClockWitness[] = [
  // Counts sleep, unlike the monotonic clock, and cannot be set. Precise to a hundredth of a second, or a second.
  { name: 'uptime', isSettable: false, read: () => os.uptime() * 1000 },
  { name: 'machine', isSettable: true, read: () => Date.now() },
];
