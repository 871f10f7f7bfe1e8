import type { Delivery, DueIndex } from '../index/due-index.ts';
import type { TimerRef } from '../model/index-entry.ts';
import type { Deliveries } from './deliveries.ts';
import type { Intake } from './lane/intake.ts';

const WAIT_MS = 1000;
/** How much longer than others a node takes to read that would only put back what it gets. */
const STAND_BACK_MS = 100;

interface Dependencies {
  readonly index: Pick<DueIndex, 'queue'>;
  readonly intake: Pick<Intake, 'take' | 'isStranger'>;
  readonly deliveries: Deliveries;
  /** Timers in a batch, about. */
  readonly limit: number;
}

/** Receives deliveries and hands their timers to the lanes. It waits for no handler, and acks nothing itself. */
export class Worker {
  readonly #index: Dependencies['index'];
  readonly #intake: Dependencies['intake'];
  readonly #deliveries: Deliveries;
  readonly #limit: number;
  /** Received and not taken in: a turn that failed is repeated with the same. */
  #held: readonly Delivery[] = [];

  constructor({ index, intake, deliveries, limit }: Dependencies) {
    this.#index = index;
    this.#intake = intake;
    this.#deliveries = deliveries;
    this.#limit = limit;
  }

  tick = async (signal: AbortSignal): Promise<number> => {
    // A worker that waits for a delivery is the first to have it, most of all on the node that handed it off.
    const waitMs = this.#intake.isStranger ? 0 : WAIT_MS;
    if (this.#held.length === 0) {
      this.#held = this.#deliveries.receive(await this.#index.queue.receive(this.#limit, waitMs, signal));
    }
    for (const batch of this.#batches()) {
      const { settled } = await this.#intake.take(timersIn(batch));
      this.#deliveries.ackAfter(batch, settled);
      this.#held = this.#held.slice(batch.length);
    }
    return this.#intake.isStranger ? STAND_BACK_MS : 0;
  };

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

export const timersIn = (deliveries: readonly Delivery[]): readonly TimerRef[] =>
  deliveries.flatMap(({ timers }) => timers);
