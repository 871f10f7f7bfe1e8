import type { Clock } from '../../runtime/clock.ts';
import type { TimerStore } from '../model/timer-store.ts';

/** A slower reading says little about the offset. */
const GOOD_ROUND_TRIP_MS = 50;

/**
 * Estimates the store's clock from this machine's monotonic clock. The estimate only decides when to poll. The store's
 * own time decides what is due, so an error of the estimate costs a poll, never an early fire.
 */
export class StoreClock {
  readonly #store: Pick<TimerStore, 'nowMs'>;
  readonly #clock: Clock;
  #offsetMs: number;

  constructor(store: Pick<TimerStore, 'nowMs'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#offsetMs = clock.nowMs() - clock.monotonicMs();
  }

  /** Epoch milliseconds, not whole. */
  nowMs(): number {
    return this.#clock.monotonicMs() + this.#offsetMs;
  }

  /** Throws what the store throws. */
  async refresh(): Promise<void> {
    const sentAtMs = this.#clock.monotonicMs();
    const storeMs = await this.#store.nowMs();
    const roundTripMs = this.#clock.monotonicMs() - sentAtMs;
    const offsetMs = storeMs - sentAtMs - roundTripMs / 2;
    const isNoBetter = roundTripMs > GOOD_ROUND_TRIP_MS && Math.abs(offsetMs - this.#offsetMs) <= roundTripMs;
    if (!isNoBetter) this.#offsetMs = offsetMs;
  }
}
