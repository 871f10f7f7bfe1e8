import type { Clock } from './clock.ts';
import type { Delivery, DueIndex } from './due-index.ts';
import type { TimerFirer } from './timer-firer.ts';

const WAIT_MS = 1000;
/** How much longer than others a node takes to read that would only put back what it gets. */
const STAND_BACK_MS = 100;
/** Well below the idle time at which others would take over what is worked on here. */
const HOLD_EVERY_MS = 2000;

interface Dependencies {
  readonly index: DueIndex;
  readonly firer: Pick<TimerFirer, 'fire' | 'isStranger'>;
  readonly clock: Clock;
  /** Timers in a batch, about. */
  readonly limit: number;
}

/** Receives deliveries, fires their timers, and acks when all of it is committed. */
export class Worker {
  readonly #index: DueIndex;
  readonly #firer: Dependencies['firer'];
  readonly #clock: Clock;
  readonly #limit: number;
  /** Received and not acked: a turn that failed is repeated with the same. */
  #held: readonly Delivery[] = [];

  constructor({ index, firer, clock, limit }: Dependencies) {
    this.#index = index;
    this.#firer = firer;
    this.#clock = clock;
    this.#limit = limit;
  }

  tick = async (signal: AbortSignal): Promise<number> => {
    // Whoever waits for a delivery is the first to have it, most of all on the node that handed it off.
    const waitMs = this.#firer.isStranger ? 0 : WAIT_MS;
    if (this.#held.length === 0) this.#held = await this.#index.receive(this.#limit, waitMs, signal);
    const letGo = this.#keepHolding();
    try {
      for (const batch of this.#batches()) {
        await this.#firer.fire(batch.flatMap(({ timers }) => timers.map(({ timerId }) => timerId)));
        await this.#index.ack(batch);
        this.#held = this.#held.slice(batch.length);
      }
    } finally {
      letGo();
    }
    return this.#firer.isStranger ? STAND_BACK_MS : 0;
  };

  /** Long calls are no reason for others to call as well. The answer ends it. */
  #keepHolding(): () => void {
    let cancel: () => void = () => undefined;
    const again = (): void => {
      cancel = this.#clock.after(HOLD_EVERY_MS, () => {
        // A hold that fails costs a second call at worst, as any that is repeated.
        if (this.#index.isAvailable) this.#index.hold(this.#held).catch(() => undefined);
        again();
      });
    };
    again();
    return () => cancel();
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
