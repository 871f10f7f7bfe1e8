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
  /** The number of timers of each due time that have not come. */
  readonly #left = new Map<number, number>();
  #missing: number;
  #surplus = 0;

  constructor({ atMs, countsFromMs }: DueTimes) {
    this.#missing = atMs.length;
    this.#countsFromMs = countsFromMs;
    for (const dueAtMs of atMs) this.#left.set(dueAtMs, (this.#left.get(dueAtMs) ?? 0) + 1);
  }

  note(dueAtMs: number): void {
    const left = this.#left.get(dueAtMs) ?? 0;
    if (left === 0) {
      this.#surplus += 1;
      return;
    }
    this.#left.set(dueAtMs, left - 1);
    if (dueAtMs >= this.#countsFromMs) this.#lateMs.push(this.#epochMs() - dueAtMs);
    this.#missing -= 1;
    if (this.#missing === 0) this.#done.resolve();
  }

  /** Waits for all of them. Throws if some do not come, one came twice, or one came early. */
  async sample(): Promise<Sample> {
    const giveUp = setTimeout(
      () => this.#done.reject(new Error(`${this.#missing} timers did not fire`)),
      LONGEST_WAIT_MS,
    );
    await this.#done.promise.finally(() => clearTimeout(giveUp));
    if (this.#surplus > 0) throw new Error(`${this.#surplus} timers came twice, or were not expected`);
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
