import type { Clock } from '../../runtime/clock.ts';
import { SignalBox } from '../../runtime/signal-box.ts';
import type { Delivery, DeliveryQueue } from '../../timer/index/due-index.ts';

const TIMERS_A_DELIVERY = 100;

/** Unacked deliveries (`DeliveryQueue`). The queue has one consumer and dies with it. */
export class MemoryDeliveryQueue implements DeliveryQueue {
  readonly #clock: Clock;
  readonly #arrivals = new SignalBox();
  readonly #unacked = new Map<string, { delivery: Delivery; atMs: number }>();
  #queue: Delivery[] = [];
  #receipts = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(timers: Delivery['timers']): void {
    for (let at = 0; at < timers.length; at += TIMERS_A_DELIVERY) {
      this.#deliver(timers.slice(at, at + TIMERS_A_DELIVERY));
    }
    if (timers.length > 0) this.#arrivals.ring();
  }

  async receive(limit: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    if (this.#queue.length === 0 && waitMs > 0) await this.#arrivals.wait(waitMs, this.#clock.after, signal);
    return signal.aborted ? [] : this.#queue.splice(0, Math.ceil(limit / TIMERS_A_DELIVERY));
  }

  /** There is nothing to reclaim: no other process has deliveries, and those of this one die with it. */
  async reclaim(): Promise<readonly Delivery[]> {
    return [];
  }

  async extendLeases(): Promise<void> {}

  async forgetConsumers(): Promise<void> {}

  async ack(deliveries: readonly Delivery[]): Promise<void> {
    for (const { receipt } of deliveries) this.#unacked.delete(receipt);
  }

  async oldestUnackedMs(): Promise<readonly number[]> {
    const [oldest] = this.#unacked.values();
    return [oldest === undefined ? 0 : Math.floor(this.#clock.monotonicMs() - oldest.atMs)];
  }

  clear(): void {
    this.#unacked.clear();
    this.#queue = [];
  }

  #deliver(timers: Delivery['timers']): void {
    this.#receipts += 1;
    const delivery = { shard: 0, receipt: String(this.#receipts), timers };
    this.#queue.push(delivery);
    this.#unacked.set(delivery.receipt, { delivery, atMs: this.#clock.monotonicMs() });
  }
}
