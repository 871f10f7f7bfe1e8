import type { Timer } from '../../model/timer.ts';

/**
 * A timer that this process has taken in. Two things end: its delivery's need of it (`settled`: it is over, claimed,
 * deferred or put back), and the work on it (`ended`), which a running call outlasts its delivery by.
 */
export class TakenTimer {
  readonly settled: Promise<void>;
  /** By the monotonic clock. */
  readonly takenAtMs: number;
  /** The row as it was last seen: claimed, while its call runs. */
  timer: Timer;
  readonly #settle: () => void;
  readonly #onEnd: (taken: TakenTimer) => void;

  constructor(timer: Timer, takenAtMs: number, onEnd: (taken: TakenTimer) => void) {
    this.timer = timer;
    this.takenAtMs = takenAtMs;
    this.#onEnd = onEnd;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
  }

  /** Its delivery may be acked. */
  settle(): void {
    this.#settle();
  }

  /** Nothing is at work on it here: the same revision, delivered again, is taken again. */
  end(): void {
    this.#onEnd(this);
  }
}
