import type { IndexEntry } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import type { FiringTools } from './firing-tools.ts';
import { publish } from './requeue.ts';

/**
 * A timer that this process has accepted and not finished. Two things end: its delivery's need of it (`settled`: it is
 * over, claimed, deferred or requeued), and the work on it (`end`), which for a running call is later.
 */
export class InFlight {
  readonly settled: Promise<void>;
  /** By the monotonic clock. */
  readonly acceptedAtMs: number;
  /** The row as it was last seen: claimed, while its call runs. */
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

  /** Nothing works on it here: the same revision, delivered again, is accepted again. */
  end(): void {
    this.#onEnd(this);
  }
}

/** The end of the work on timers: publishes the entries with which some of them come again, then settles their deliveries. */
export const finish = async (
  tools: FiringTools,
  timers: readonly InFlight[],
  entries: readonly IndexEntry[],
): Promise<void> => {
  // First, since a redelivery may arrive before the index responds here.
  for (const one of timers) one.end();
  await publish(tools, { put: entries, remove: [] });
  for (const one of timers) one.settle();
};
