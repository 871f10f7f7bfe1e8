import type { Delivery, DueIndex } from '../index/due-index.ts';
import { type Deliveries, timersOf } from './deliveries.ts';
import type { Intake } from './intake.ts';

const EVERY_MS = 1000;
/** Longer than the statement time-out: after it the first worker has either committed or never will. */
const IDLE_MS = 5000;
const TIDY_EVERY_MS = 60_000;
/** A live worker reads at least once a second. */
const GONE_MS = 600_000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'isAvailable' | 'queue'>;
  readonly intake: Pick<Intake, 'accept'>;
  readonly deliveries: Deliveries;
  readonly limit: number;
  readonly monotonicMs: () => number;
}

/** Accepts deliveries that a dead process never acked or that were lost on their way here. Removes dead consumers. */
export class Reclaimer {
  readonly #on: Dependencies;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;
  /** Reclaimed and not accepted yet: a failed turn tries them again, while this process extends their leases. */
  #reclaimed: readonly Delivery[] = [];

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  tick = async (): Promise<number> => {
    const { index, intake, deliveries, limit } = this.#on;
    if (!index.isAvailable) return EVERY_MS;
    await this.#tidy();
    if (this.#reclaimed.length === 0) {
      this.#reclaimed = deliveries.receive(await index.queue.reclaim(IDLE_MS, limit));
    }
    if (this.#reclaimed.length === 0) return EVERY_MS;
    const { settled } = await intake.accept(timersOf(this.#reclaimed));
    deliveries.ackAfter(this.#reclaimed, settled);
    this.#reclaimed = [];
    return 0;
  };

  async #tidy(): Promise<void> {
    const nowMs = this.#on.monotonicMs();
    if (nowMs - this.#tidiedAtMs < TIDY_EVERY_MS) return;
    await this.#on.index.queue.forgetConsumers(GONE_MS);
    this.#tidiedAtMs = nowMs;
  }
}
