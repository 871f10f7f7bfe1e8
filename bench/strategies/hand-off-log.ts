import { quantile, quantiles } from '../harness/spread.ts';

const LONGEST_WAIT_MS = 30_000;

/** The timers that the worker received, and their lateness. Ids of expected timers are consecutive. */
export class HandOffLog {
  readonly #nowMs: () => number;
  #firstId = 0;
  #dueAtMs: readonly number[] = [];
  #lateMs = new Float64Array();
  #handed = 0;
  #strangers = 0;
  #done = Promise.withResolvers<void>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** From now on only these timers are expected. */
  expect(firstId: number, dueAtMs: readonly number[]): void {
    this.#firstId = firstId;
    this.#dueAtMs = dueAtMs;
    this.#lateMs = new Float64Array(dueAtMs.length).fill(Number.NaN);
    this.#handed = 0;
    this.#done = Promise.withResolvers();
  }

  note = (ids: readonly number[]): void => {
    const nowMs = this.#nowMs();
    for (const id of ids) {
      const at = id - this.#firstId;
      const dueAtMs = this.#dueAtMs[at];
      if (dueAtMs === undefined || !Number.isNaN(this.#lateMs[at])) {
        this.#strangers += 1;
        continue;
      }
      this.#lateMs[at] = nowMs - dueAtMs;
      this.#handed += 1;
    }
    if (this.#handed === this.#dueAtMs.length) this.#done.resolve();
  };

  get handed(): number {
    return this.#handed;
  }

  /** Waits for all; throws if some do not come. */
  async waitForAll(): Promise<void> {
    const missing = (): Error => new Error(`${this.#dueAtMs.length - this.#handed} timers did not fire`);
    const giveUp = setTimeout(() => this.#done.reject(missing()), LONGEST_WAIT_MS);
    await this.#done.promise.finally(() => clearTimeout(giveUp));
  }

  /** The lateness from `firstCounted` on. Throws if a timer came early, twice, or unexpectedly. */
  lateness(firstCounted: number): { lateP50: number; lateP99: number; lateMax: number } {
    if (this.#strangers > 0) throw new Error(`${this.#strangers} fires that nobody wanted`);
    if (quantile([...this.#lateMs], 0) < 0) throw new Error('a timer was early');
    const counted = [...this.#lateMs.subarray(firstCounted)];
    const { p50, p99, max } = quantiles(counted, 'p50', 'p99', 'max');
    return { lateP50: p50, lateP99: p99, lateMax: max };
  }
}
