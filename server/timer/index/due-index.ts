import type { IndexEntry, IndexRemoval, TimerRef } from '../model/index-entry.ts';
import type { Generation } from './generation.ts';

/**
 * Says which timers are due next. Derived: the timer row is the truth, so an entry may be stale, doubled or lost, and
 * the engine survives all three. Times are epoch milliseconds on Postgres' clock.
 * Every method of its ports that returns a promise may throw `IndexUnavailable`; none throws for an unknown timer.
 *
 * An index has generations. One of them is in use, and all methods but `marks.drop` work on that one. It begins empty
 * and refuses entries. After `marks.begin` it accepts entries, `marks.finish` declares it whole, and `marks.retire`
 * ends it. So a refused update was committed before the refill of the next generation begins, and the refill reads its
 * row.
 */
export interface DueIndex {
  /** False after the index did not respond. */
  readonly isAvailable: boolean;
  readonly inUse: GenerationInUse;
  readonly orders: DueOrders;
  readonly handOffs: HandOffs;
  readonly queue: DeliveryQueue;
  readonly marks: IndexMarks;
}

/** The generation that this process works with. `number` is 0 before the first. */
export interface GenerationInUse extends Generation {
  readonly maxShards: number;

  /** Changes to a generation. Deliveries of other generations are still fired by their receivers; acks of them do nothing. */
  use(generation: Generation): void;

  /** The shard of an owner's timers. */
  shardOf(owner: string): number;

  /** Calls when another process works with a later generation. Hints may be lost or repeated. Returns the unsubscriber. */
  onNewer(listener: () => void): () => void;
}

/** When each timer is due. A shard has one order of all its timers and one for each owner; both change together. */
export interface DueOrders {
  /**
   * Adds or moves entries. Idempotent; the order of different timers does not matter. An entry never replaces a newer
   * revision (serial-number arithmetic on the lowest 11 bits); an equal revision replaces. False: some entries were
   * refused, because the generation has ended or has not begun. Then read which one is in force.
   */
  put(entries: readonly IndexEntry[]): Promise<boolean>;

  /** Removes entries that are not newer than the removal. An older `put` that arrives later leaves a ghost. */
  remove(removals: readonly IndexRemoval[]): Promise<void>;

  /** The owner's entries in order. Revisions are as precise as in `between`. */
  listByOwner(owner: string): Promise<readonly IndexEntry[]>;

  /** The fire times of these timers, by id, without timers that the index lacks. */
  fireTimes(timers: readonly TimerRef[]): Promise<ReadonlyMap<string, IndexEntry['fireAtMs']>>;

  /**
   * Entries with `fromMs <= fireAtMs < beforeMs`: the `limit` earliest of each shard. Revisions are known only modulo
   * 2048, which is enough to remove the entries.
   */
  between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]>;

  /** How many entries have `fromMs <= fireAtMs < beforeMs`. */
  countBetween(fromMs: number, beforeMs: number): Promise<number>;

  /** The number of entries that are not due yet, by shard. */
  counts(): Promise<readonly number[]>;
}

export interface HandOff {
  /** How many due entries left the order and entered the delivery queue. */
  readonly moved: number;
  /** The fire time of the shard's new head; undefined if the shard is empty. May be past if `limit` was reached. */
  readonly nextFireAtMs: number | undefined;
}

/** From the orders to the queue. */
export interface HandOffs {
  /** Moves up to `limit` (at most 1000) due entries (`fireAtMs <= nowMs`), earliest first, to the delivery queue. */
  handOff(shard: number, nowMs: number, limit: number): Promise<HandOff>;

  /** Calls `listener` when a shard gets an earlier head. Hints may be lost or repeated. Returns the unsubscriber. */
  onEarlierHead(listener: (shard: number, fireAtMs: number) => void): () => void;
}

/** Timers handed off together; acked together. */
export interface Delivery {
  readonly shard: number;
  /** The adapter acks by it; unique in the shard. */
  readonly receipt: string;
  readonly timers: readonly TimerRef[];
}

/** Deliveries that are not acked. One consumer at a time has the lease on a delivery. */
export interface DeliveryQueue {
  /** Returns about `limit` timers: at once if any wait, else within `waitMs`. Returns none when `signal` aborts. */
  receive(limit: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]>;

  /** Takes over unacked deliveries that were received or extended at least `idleMs` ago. */
  reclaim(idleMs: number, limit: number): Promise<readonly Delivery[]>;

  /** Extends the leases: a worker still works on these deliveries, so no other may reclaim them. */
  extendLeases(deliveries: readonly Delivery[]): Promise<void>;

  /** Deletes deliveries. Call it after their effects are committed. */
  ack(deliveries: readonly Delivery[]): Promise<void>;

  /** Deletes consumers without deliveries that were silent for `idleMs`. */
  forgetConsumers(idleMs: number): Promise<void>;

  /** The age of each shard's oldest unacked delivery, received or not, in whole ms; 0 if there is none. */
  oldestUnackedMs(): Promise<readonly number[]>;
}

/** The progress of the generation in use. Each shard carries a mark. */
export interface IndexMarks {
  /** Whether each shard has all entries and no lower pulse. A lower pulse means an old copy. */
  isWhole(pulse: number): Promise<boolean>;

  /** Raises the pulse of whole shards; returns the lowest. Undefined if a shard is not whole, or no old copy can exist. */
  raisePulse(): Promise<number | undefined>;

  /** From now on the generation accepts entries, but is incomplete. False when another one is in use. */
  begin(generation: number): Promise<boolean>;

  /** Declares the generation whole. False if it was lost or has ended, or another one is in use: then begin the next. */
  finish(generation: number): Promise<boolean>;

  /** Ends the generation for every process. Does nothing if another one is in use. */
  retire(generation: number): Promise<void>;

  /** Deletes about `limit` entries of an ended generation; returns how many, 0 at the end. */
  drop(generation: Generation, limit: number): Promise<number>;
}

/** The due index did not respond. The requested change may or may not have happened. */
export class IndexUnavailable extends Error {
  readonly code = 'timer/index-unavailable';
  readonly retryable = true;

  constructor(cause: unknown) {
    super('the due index is unavailable', { cause });
    this.name = 'IndexUnavailable';
  }
}
