import type { Sample } from '../harness/row.ts';
import { quantile, quantiles } from '../harness/spread.ts';
import type { DueTimes } from './due-times.ts';

const LONGEST_WAIT_MS = 60_000;

/** The lateness of each expected timer. */
export class LatenessLog {
  readonly #epochMs = epochClock();
  readonly #lateMs: number[] = [];
  readonly #countsFromMs: number;
  readonly #done = Promise.withResolvers<void>();
  #missing: number;

  constructor({ atMs, countsFromMs }: DueTimes) {
    this.#missing = atMs.length;
    this.#countsFromMs = countsFromMs;
  }

  note(dueAtMs: number): void {
    if (dueAtMs >= this.#countsFromMs) this.#lateMs.push(this.#epochMs() - dueAtMs);
    this.#missing -= 1;
    if (this.#missing === 0) this.#done.resolve();
  }

  /** Waits for all of them. Throws if some do not come, or one came early. */
  async sample(): Promise<Sample> {
    const giveUp = setTimeout(
      () => this.#done.reject(new Error(`${this.#missing} timers did not fire`)),
      LONGEST_WAIT_MS,
    );
    await this.#done.promise.finally(() => clearTimeout(giveUp));
    if (quantile(this.#lateMs, 0) < 0) throw new Error('a timer was early');
    return quantiles(this.#lateMs, 'p50', 'p99', 'max');
  }
}

const TRIES = 8;

/**
 * Epoch milliseconds with fractions, on the clock of Postgres and Redis. Node's own `performance.timeOrigin` ignores
 * adjustments of the clock, so each measurement makes its own.
 */
export const epochClock = (): (() => number) => {
  // An interruption between the two readings delays the edge, and every timer would seem early: the greatest offset is
  // that of the quickest reading.
  const offsetMs = Math.max(...Array.from({ length: TRIES }, offsetAtNextEdge));
  return () => performance.now() + offsetMs;
};

const offsetAtNextEdge = (): number => {
  const beforeMs = Date.now();
  let edgeMs = Date.now();
  while (edgeMs === beforeMs) edgeMs = Date.now();
  return edgeMs - performance.now();
};
