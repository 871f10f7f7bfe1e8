import type { Delivery, DueIndex } from '../index/due-index.ts';
import { type Deliveries, timersOf } from './deliveries.ts';
import type { Intake } from './intake.ts';

const WAIT_MS = 1000;
/** How much longer than others this node waits before it reads, if it recently met kinds that it lacks. */
const STAND_BACK_MS = 25;
/** And how many times that if it got nothing else lately: of two such nodes the one that has the kinds reads first. */
const MOST_TIMES = 4;

interface Dependencies {
  readonly index: Pick<DueIndex, 'queue'>;
  readonly intake: Pick<Intake, 'accept' | 'meetsUnknownKinds'>;
  readonly deliveries: Deliveries;
  /** Timers in a batch, approximately. */
  readonly limit: number;
}

/**
 * The first step of a due timer after its shard's dispatcher handed it off. Each step has a file of that name:
 *
 *     worker        receives deliveries; `deliveries` extends their leases and acks
 *     intake        reads the rows; requeues what is not due, paused or unknown
 *     lane          one a kind (`lanes`): starts timers while there is room, defers those that would wait too long
 *     batches       for a `fire`: `fire-runner` > `late-timers`, `fire-try` > `handler-tx`, `own-turns`; for things:
 *                   `derived-runner`
 *     calls         for a `call`: `late-timers`, claims the row, then `running-call`
 *     failure       saves failed attempts; `requeue` is for timers that did not fire and have not failed
 *     in-flight     ends the work: publishes to the index, settles the delivery
 */
export class Worker {
  readonly #on: Dependencies;
  /** Received and not accepted yet: a failed turn tries them again. */
  #received: readonly Delivery[] = [];
  /** Batches in a row of which nothing could be fired here. */
  #inVain = 0;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Waits for no handler, and acks nothing itself. */
  tick = async (signal: AbortSignal): Promise<number> => {
    const { index, intake, deliveries, limit } = this.#on;
    // A waiting worker receives a delivery first, above all on the node that handed it off.
    const waitMs = intake.meetsUnknownKinds ? 0 : WAIT_MS;
    if (this.#received.length === 0) {
      this.#received = deliveries.receive(await index.queue.receive(limit, waitMs, signal));
    }
    for (const batch of this.#batches()) {
      const { count, settled } = await intake.accept(timersOf(batch));
      this.#inVain = count > 0 ? 0 : this.#inVain + 1;
      deliveries.ackAfter(batch, settled);
      this.#received = this.#received.slice(batch.length);
    }
    return intake.meetsUnknownKinds ? STAND_BACK_MS * Math.min(MOST_TIMES, 1 + this.#inVain) : 0;
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
