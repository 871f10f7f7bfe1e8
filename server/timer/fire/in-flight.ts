import type { IndexEntry } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import type { FiringTools } from './firing-tools.ts';
import { publish } from './requeue.ts';

/**
 * A timer that this process has accepted and not finished. It has two ends. `settled`: its delivery may be acked,
 * because the timer is over, claimed, deferred or requeued. `end`: the work on it is over; a running call ends later.
 */
export class InFlight {
  readonly settled: Promise<void>;
  /** By the monotonic clock. */
  readonly acceptedAtMs: number;
  /** The row as last read; while its call runs, the claimed row. */
  timer: Timer;
  readonly #settle: () => void;
  readonly #onEnd: (one: InFlight) => void;

  constructor(timer: Timer, acceptedAtMs: number, onEnd: (one: InFlight) => void) {
    this.timer = timer;
    this.acceptedAtMs = acceptedAtMs;
    this.#onEnd = onEnd;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
  }

  /** Its delivery may be acked. */
  settle(): void {
    this.#settle();
  }

  /** The work ends here: if the same revision is delivered again, it is accepted again. */
  end(): void {
    this.#onEnd(this);
  }
}

/** Ends the work on timers: publishes the entries of those that come again, then settles their deliveries. */
export const finish = async (
  tools: FiringTools,
  timers: readonly InFlight[],
  entries: readonly IndexEntry[],
): Promise<void> => {
  // End first: a redelivery may arrive before the index responds.
  for (const one of timers) one.end();
  await publish(tools, { put: entries, remove: [] });
  for (const one of timers) one.settle();
};
