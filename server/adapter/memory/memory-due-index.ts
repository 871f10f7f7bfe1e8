import type { Clock } from '../../runtime/clock.ts';
import type {
  DeliveryQueue,
  DueIndex,
  DueOrders,
  GenerationInUse,
  HandOffs,
  IndexMarks,
} from '../../timer/index/due-index.ts';
import type { Generation } from '../../timer/index/generation.ts';
import { MemoryDeliveryQueue } from './memory-delivery-queue.ts';
import { MemoryDueOrders } from './memory-due-orders.ts';

/** The due index in this process (`DueIndex`): a timing wheel with one shard, and a queue. Empty at every start. */
export class MemoryDueIndex implements DueIndex {
  readonly isAvailable = true;
  readonly orders: DueOrders;
  readonly queue: DeliveryQueue;
  readonly #orders: MemoryDueOrders;
  readonly #queue: MemoryDeliveryQueue;
  readonly #headListeners = new Set<(shard: number, fireAtMs: number) => void>();
  #generation: Generation = { number: 0, shards: 1 };
  #mark: 'rebuilding' | 'whole' | undefined;

  constructor(clock: Clock) {
    this.#queue = new MemoryDeliveryQueue(clock);
    this.#orders = new MemoryDueOrders({
      clock,
      isOpen: () => this.#mark !== undefined,
      onEarlierHead: (fireAtMs) => {
        for (const listener of this.#headListeners) listener(0, fireAtMs);
      },
    });
    this.orders = this.#orders;
    this.queue = this.#queue;
  }

  readonly inUse: GenerationInUse = inUse({
    number: () => this.#generation.number,
    // There is only one wheel, so the earlier entries are gone.
    use: (generation) => {
      this.#generation = generation;
      this.clear();
    },
  });

  readonly handOffs: HandOffs = {
    handOff: async (_shard, nowMs, limit) => {
      const due = this.#orders.popDue(nowMs, limit);
      this.#queue.add(due);
      return { moved: due.length, nextFireAtMs: this.#orders.nextFireAtMs };
    },
    onEarlierHead: (listener) => {
      this.#headListeners.add(listener);
      return () => this.#headListeners.delete(listener);
    },
  };

  readonly marks: IndexMarks = {
    isWhole: async () => this.#mark === 'whole',
    // No old copy can exist.
    raisePulse: async () => undefined,
    begin: async (generation) => {
      if (generation !== this.#generation.number) return false;
      this.#mark = 'rebuilding';
      return true;
    },
    finish: async (generation) => {
      if (generation !== this.#generation.number || this.#mark === undefined) return false;
      this.#mark = 'whole';
      return true;
    },
    retire: async (generation) => {
      if (generation === this.#generation.number) this.#mark = undefined;
    },
    // The entries of the earlier generation were deleted when this one came into use.
    drop: async () => 0,
  };

  /** Loses all entries, like an emptied Redis. */
  clear(): void {
    this.#orders.clear();
    this.#queue.clear();
    this.#mark = undefined;
  }
}

const inUse = (of: { number(): number; use(generation: Generation): void }): GenerationInUse => ({
  get number() {
    return of.number();
  },
  shards: 1,
  maxShards: 1,
  shardOf: () => 0,
  use: (generation) => {
    if (generation.number !== of.number()) of.use(generation);
  },
  // No other process uses it.
  onNewer: () => () => undefined,
});
