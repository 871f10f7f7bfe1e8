import type { Delivery, DueIndex } from '../index/due-index.ts';
import { type Deliveries, timersOf } from './deliveries.ts';
import type { Intake } from './intake.ts';

const WAIT_MS = 1000;
/** How much longer than others a node waits to read that would only requeue what it gets. */
const STAND_BACK_MS = 100;

interface Dependencies {
  readonly index: Pick<DueIndex, 'queue'>;
  readonly intake: Pick<Intake, 'accept' | 'isStranger'>;
  readonly deliveries: Deliveries;
  /** Timers in a batch, about. */
  readonly limit: number;
}

/**
 * Where a due timer begins, after its shard's dispatcher handed it off. The steps, each in the file of its name:
 *
 *     worker        receives a delivery, whose lease `deliveries` extends and acks
 *     intake        reads the rows; requeues what is not due, paused or unknown; `late-timers` judges the others
 *     lane          one a kind (`lanes`): begins with what there is room for, defers what would wait too long
 *     batches       for a `fire`: `fire-runner` > `fire-try` > `handler-tx`, `own-turns`; for things: `derived-runner`
 *     calls         for a `call`: claims the row, then `running-call`
 *     failure       what failed is saved; `requeue` is for what did not fire and has not failed
 *     in-flight     the end: publishes to the index, settles the delivery
 */
export class Worker {
  readonly #on: Dependencies;
  /** Received and not accepted: a turn that failed is repeated with the same. */
  #received: readonly Delivery[] = [];

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Waits for no handler, and acks nothing itself. */
  tick = async (signal: AbortSignal): Promise<number> => {
    const { index, intake, deliveries, limit } = this.#on;
    // A worker that waits for a delivery is the first to have it, most of all on the node that handed it off.
    const waitMs = intake.isStranger ? 0 : WAIT_MS;
    if (this.#received.length === 0) {
      this.#received = deliveries.receive(await index.queue.receive(limit, waitMs, signal));
    }
    for (const batch of this.#batches()) {
      const { settled } = await intake.accept(timersOf(batch));
      deliveries.ackAfter(batch, settled);
      this.#received = this.#received.slice(batch.length);
    }
    return intake.isStranger ? STAND_BACK_MS : 0;
  };

  *#batches(): Iterable<readonly Delivery[]> {
    let batch: Delivery[] = [];
    let size = 0;
    for (const delivery of this.#received) {
      if (size > 0 && size + delivery.timers.length > this.#on.limit) {
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
