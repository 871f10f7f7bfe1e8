import type { Clock } from '../../runtime/clock.ts';
import type { Delivery, DueIndex } from '../index/due-index.ts';
import type { TimerRef } from '../model/index-entry.ts';

/** Well below the idle time after which another worker would reclaim a delivery. */
const EXTEND_EVERY_MS = 2000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'isAvailable' | 'queue'>;
  readonly after: Clock['after'];
}

/** What this process received and has not acked: it extends the leases until the timers are settled, then acks. */
export class Deliveries {
  readonly #on: Dependencies;
  readonly #unacked = new Map<string, Delivery>();
  /** Settled, and to be acked with the next call. */
  #settled: Delivery[] = [];
  #acking: Promise<void> | undefined;
  #cancelExtending: (() => void) | undefined;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Those that are not here yet: what was reclaimed may be. */
  receive(deliveries: readonly Delivery[]): readonly Delivery[] {
    const fresh = deliveries.filter((delivery) => !this.#unacked.has(nameOf(delivery)));
    for (const delivery of fresh) this.#unacked.set(nameOf(delivery), delivery);
    this.#extendLater();
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

  /** Extends no lease any more. */
  stop(): void {
    this.#unacked.clear();
    this.#cancelExtending?.();
    this.#cancelExtending = undefined;
  }

  async #ack(): Promise<void> {
    while (this.#settled.length > 0) {
      const deliveries = this.#settled;
      this.#settled = [];
      // One that is not acked is reclaimed, and its timers are found to be over.
      await this.#on.index.queue.ack(deliveries).catch(() => undefined);
      for (const delivery of deliveries) this.#unacked.delete(nameOf(delivery));
    }
    this.#acking = undefined;
  }

  /** Also while timers wait in a herd's lane, so that no other worker fires them as well. */
  #extendLater(): void {
    if (this.#cancelExtending || this.#unacked.size === 0) return;
    this.#cancelExtending = this.#on.after(EXTEND_EVERY_MS, () => {
      this.#cancelExtending = undefined;
      const { index } = this.#on;
      // A lease that is not extended costs a second look at worst.
      if (index.isAvailable) index.queue.extendLeases([...this.#unacked.values()]).catch(() => undefined);
      this.#extendLater();
    });
  }
}

export const timersOf = (deliveries: readonly Delivery[]): readonly TimerRef[] =>
  deliveries.flatMap(({ timers }) => timers);

const nameOf = ({ shard, receipt }: Delivery): string => `${shard} ${receipt}`;
