import type { Delivery, DueIndex } from './due-index.ts';
import type { TimerFirer } from './timer-firer.ts';

const WAIT_MS = 1000;

interface Dependencies {
  readonly index: DueIndex;
  readonly firer: TimerFirer;
  /** Timers in a batch, about. */
  readonly limit: number;
  /** What a dead process left is taken over when it was idle for this long; undefined: this worker does not look for it. */
  readonly reclaimIdleMs: number | undefined;
}

/** Receives deliveries, fires their timers, and acks when all of it is committed. */
export class Worker {
  readonly #index: DueIndex;
  readonly #firer: TimerFirer;
  readonly #limit: number;
  #reclaimIdleMs: number | undefined;
  /** Received and not acked: a turn that failed is repeated with the same. */
  #held: readonly Delivery[] = [];

  constructor({ index, firer, limit, reclaimIdleMs }: Dependencies) {
    this.#index = index;
    this.#firer = firer;
    this.#limit = limit;
    this.#reclaimIdleMs = reclaimIdleMs;
  }

  tick = async (signal: AbortSignal): Promise<number> => {
    if (this.#held.length === 0) this.#held = await this.#receive(signal);
    for (const batch of this.#batches()) {
      await this.#firer.fire(batch.flatMap(({ timers }) => timers.map(({ timerId }) => timerId)));
      await this.#index.ack(batch);
      this.#held = this.#held.slice(batch.length);
    }
    return 0;
  };

  /** At first what was left by a former life of this process, until there is nothing more. */
  async #receive(signal: AbortSignal): Promise<readonly Delivery[]> {
    if (this.#reclaimIdleMs !== undefined) {
      const left = await this.#index.reclaim(this.#reclaimIdleMs, this.#limit);
      if (left.length > 0) return left;
      this.#reclaimIdleMs = undefined;
    }
    return this.#index.receive(this.#limit, WAIT_MS, signal);
  }

  *#batches(): Iterable<readonly Delivery[]> {
    let batch: Delivery[] = [];
    let size = 0;
    for (const delivery of this.#held) {
      if (size > 0 && size + delivery.timers.length > this.#limit) {
        yield batch;
        batch = [];
        size = 0;
      }
      batch.push(delivery);
      size += delivery.timers.length;
    }
    if (batch.length > 0) yield batch;
  }
}
