import type { DueIndex } from './due-index.ts';
import type { TimerFirer } from './timer-firer.ts';

const EVERY_MS = 1000;
/** Above the statement time-out: whoever received it has committed by then, or never will. */
const IDLE_MS = 5000;
const TIDY_EVERY_MS = 60_000;
/** Whoever lives reads at least once a second. */
const GONE_MS = 600_000;

interface Dependencies {
  readonly index: DueIndex;
  readonly firer: TimerFirer;
  readonly limit: number;
  readonly monotonicMs: () => number;
}

/** Fires what a dead process received and never acked, and forgets its name. Also what was lost on its way to this one. */
export class Reclaimer {
  readonly #index: DueIndex;
  readonly #firer: TimerFirer;
  readonly #limit: number;
  readonly #monotonicMs: () => number;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ index, firer, limit, monotonicMs }: Dependencies) {
    this.#index = index;
    this.#firer = firer;
    this.#limit = limit;
    this.#monotonicMs = monotonicMs;
  }

  tick = async (): Promise<number> => {
    if (!this.#index.isAvailable) return EVERY_MS;
    await this.#tidy();
    const deliveries = await this.#index.reclaim(IDLE_MS, this.#limit);
    if (deliveries.length === 0) return EVERY_MS;
    await this.#firer.fire(deliveries.flatMap(({ timers }) => timers.map(({ timerId }) => timerId)));
    await this.#index.ack(deliveries);
    return 0;
  };

  async #tidy(): Promise<void> {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#tidiedAtMs < TIDY_EVERY_MS) return;
    await this.#index.forgetConsumers(GONE_MS);
    this.#tidiedAtMs = nowMs;
  }
}
