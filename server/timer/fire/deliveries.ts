import type { Clock } from '../../runtime/clock.ts';
import type { Delivery, DueIndex } from '../index/due-index.ts';
import type { TimerRef } from '../model/index-entry.ts';

/** Much shorter than the idle time after which another worker reclaims a delivery. */
const EXTEND_EVERY_MS = 2000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'isAvailable' | 'queue'>;
  readonly after: Clock['after'];
}

/** The unacked deliveries of this process: extends their leases until the timers are settled, then acks. */
export class Deliveries {
  readonly #on: Dependencies;
  readonly #unacked = new Map<string, Delivery>();
  /** Settled deliveries, which the next call acks. */
  #settled: Delivery[] = [];
  #acking: Promise<void> | undefined;
  #cancelExtending: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Returns only new deliveries: a reclaimed one may be here already. */
  receive(deliveries: readonly Delivery[]): readonly Delivery[] {
    const fresh = deliveries.filter((delivery) => !this.#unacked.has(nameOf(delivery)));
    for (const delivery of fresh) this.#unacked.set(nameOf(delivery), delivery);
    this.#extendLater();
    return fresh;
  }

  /** Acks the deliveries when `settled` resolves. */
  ackAfter(deliveries: readonly Delivery[], settled: Promise<void>): void {
    void settled.then(() => {
      this.#settled.push(...deliveries);
      this.#acking ??= this.#ack();
    });
  }

  /** Resolves when every settled delivery is acked. */
  async flush(): Promise<void> {
    while (this.#acking) await this.#acking;
  }

  /** Stops extending leases. */
  stop(): void {
    this.#unacked.clear();
    this.#cancelExtending?.();
    this.#cancelExtending = undefined;
  }

  async #ack(): Promise<void> {
    while (this.#settled.length > 0) {
      const deliveries = this.#settled;
      this.#settled = [];
      // After a failed ack the delivery is reclaimed, and the reclaiming worker sees that its timers are over.
      await this.#on.index.queue.ack(deliveries).catch(() => undefined);
      for (const delivery of deliveries) this.#unacked.delete(nameOf(delivery));
    }
    this.#acking = undefined;
  }

  /** Goes on while timers wait in a busy lane, so that no other worker fires them as well. */
  #extendLater(): void {
    if (this.#cancelExtending || this.#unacked.size === 0) return;
    this.#cancelExtending = this.#on.after(EXTEND_EVERY_MS, () => {
      this.#cancelExtending = undefined;
      const { index } = this.#on;
      // A missed extension costs at worst a second read of the rows.
      if (index.isAvailable) index.queue.extendLeases([...this.#unacked.values()]).catch(() => undefined);
      this.#extendLater();
    });
  }
}

export const timersOf = (deliveries: readonly Delivery[]): readonly TimerRef[] =>
  deliveries.flatMap(({ timers }) => timers);

const nameOf = ({ shard, receipt }: Delivery): string => `${shard} ${receipt}`;
