import type { Delivery, DueIndex } from '../index/due-index.ts';
import type { Deliveries } from './deliveries.ts';
import type { Intake } from './lane/intake.ts';
import { timersIn } from './worker.ts';

const EVERY_MS = 1000;
/** Above the statement time-out: the worker that received it has committed by then, or never will. */
const IDLE_MS = 5000;
const TIDY_EVERY_MS = 60_000;
/** A live worker reads at least once a second. */
const GONE_MS = 600_000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'isAvailable' | 'queue'>;
  readonly intake: Pick<Intake, 'take'>;
  readonly deliveries: Deliveries;
  readonly limit: number;
  readonly monotonicMs: () => number;
}

/** Takes in what a dead process received and never acked, and forgets its name. Also what was lost on its way to this one. */
export class Reclaimer {
  readonly #index: Dependencies['index'];
  readonly #intake: Dependencies['intake'];
  readonly #deliveries: Deliveries;
  readonly #limit: number;
  readonly #monotonicMs: () => number;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;
  /** Reclaimed and not taken in: it is this process' now and held, so nobody else gets it, and a turn that failed is repeated. */
  #held: readonly Delivery[] = [];

  constructor({ index, intake, deliveries, limit, monotonicMs }: Dependencies) {
    this.#index = index;
    this.#intake = intake;
    this.#deliveries = deliveries;
    this.#limit = limit;
    this.#monotonicMs = monotonicMs;
  }

  tick = async (): Promise<number> => {
    if (!this.#index.isAvailable) return EVERY_MS;
    await this.#tidy();
    if (this.#held.length === 0) {
      this.#held = this.#deliveries.receive(await this.#index.queue.reclaim(IDLE_MS, this.#limit));
    }
    if (this.#held.length === 0) return EVERY_MS;
    const { settled } = await this.#intake.take(timersIn(this.#held));
    this.#deliveries.ackAfter(this.#held, settled);
    this.#held = [];
    return 0;
  };

  async #tidy(): Promise<void> {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#tidiedAtMs < TIDY_EVERY_MS) return;
    await this.#index.queue.forgetConsumers(GONE_MS);
    this.#tidiedAtMs = nowMs;
  }
}
