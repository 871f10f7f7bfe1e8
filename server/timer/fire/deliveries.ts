import type { Clock } from '../../runtime/clock.ts';
import type { Delivery, DueIndex } from '../index/due-index.ts';

/** Well below the idle time at which others would take over what is worked on here. */
const HOLD_EVERY_MS = 2000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'isAvailable' | 'queue'>;
  readonly after: Clock['after'];
}

/** What this process received and has not acked: held, so that nobody reclaims it, until its timers need it no more. */
export class Deliveries {
  readonly #index: Dependencies['index'];
  readonly #after: Clock['after'];
  readonly #unacked = new Map<string, Delivery>();
  /** Settled, and to be acked with the next call. */
  #settled: Delivery[] = [];
  #acking: Promise<void> | undefined;
  #cancelHold: (() => void) | undefined;

  constructor({ index, after }: Dependencies) {
    this.#index = index;
    this.#after = after;
  }

  /** Those that are not here yet: what was reclaimed may be. */
  receive(deliveries: readonly Delivery[]): readonly Delivery[] {
    const fresh = deliveries.filter((delivery) => !this.#unacked.has(nameOf(delivery)));
    for (const delivery of fresh) this.#unacked.set(nameOf(delivery), delivery);
    this.#keepHolding();
    return fresh;
  }

  /** Acks them when `settled` resolves. */
  ackAfter(deliveries: readonly Delivery[], settled: Promise<void>): void {
    void settled.then(() => {
      this.#settled.push(...deliveries);
      this.#acking ??= this.#ack();
    });
  }

  /** Resolves when all that was settled is acked. */
  async flush(): Promise<void> {
    while (this.#acking) await this.#acking;
  }

  /** Holds nothing any more. */
  stop(): void {
    this.#unacked.clear();
    this.#cancelHold?.();
    this.#cancelHold = undefined;
  }

  async #ack(): Promise<void> {
    while (this.#settled.length > 0) {
      const deliveries = this.#settled;
      this.#settled = [];
      // One that is not acked is reclaimed, and its timers are found to be over.
      await this.#index.queue.ack(deliveries).catch(() => undefined);
      for (const delivery of deliveries) this.#unacked.delete(nameOf(delivery));
    }
    this.#acking = undefined;
  }

  /** Until nothing is left: what waits in a herd's lane is no reason for others to fire it as well. */
  #keepHolding(): void {
    if (this.#cancelHold || this.#unacked.size === 0) return;
    this.#cancelHold = this.#after(HOLD_EVERY_MS, () => {
      this.#cancelHold = undefined;
      // A hold that fails costs a second look at worst.
      if (this.#index.isAvailable) this.#index.queue.hold([...this.#unacked.values()]).catch(() => undefined);
      this.#keepHolding();
    });
  }
}

const nameOf = ({ shard, receipt }: Delivery): string => `${shard} ${receipt}`;
