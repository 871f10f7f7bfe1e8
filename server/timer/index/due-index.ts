import type { IndexEntry, IndexRemoval, TimerRef } from '../model/index-entry.ts';
import type { Generation } from './generation.ts';

/**
 * Which timers are due next. Derived: the timer row is the truth, so an entry may be stale, doubled or lost, and the
 * engine survives all three. Times are epoch milliseconds on Postgres' clock.
 * Every method of its ports that returns a promise may throw `IndexUnavailable`; none throws for a timer that it does
 * not know.
 *
 * An index has generations, of which one is in use: everything but `marks.drop` is about that one. It is empty at first
 * and takes no entries; from `marks.begin` on it does; `marks.finish` makes it whole; `marks.retire` ends it. So what
 * was not taken was committed before somebody begins to refill the next one, and that reads the rows.
 */
export interface DueIndex {
  /** False while the index is known not to respond. */
  readonly isAvailable: boolean;
  readonly inUse: GenerationInUse;
  readonly orders: DueOrders;
  readonly handOffs: HandOffs;
  readonly queue: DeliveryQueue;
  readonly marks: IndexMarks;
}

/** With which generation this process works. `number` is 0 before the first. */
export interface GenerationInUse extends Generation {
  readonly maxShards: number;

  /** Changes over to a generation. Deliveries of others are still fired by who has them; acks of them do nothing. */
  use(generation: Generation): void;

  /** The shard of an owner's timers. */
  shardOf(owner: string): number;

  /** Calls when another process works with a later generation (hints: they may be lost or too many). Returns what ends it. */
  onNewer(listener: () => void): () => void;
}

/** What is due when. Each shard has one order of all its timers and one order for each owner; both change together. */
export interface DueOrders {
  /**
   * Adds entries or moves them. Idempotent; order among different timers does not matter. An entry never replaces one
   * of a newer revision (serial-number arithmetic on the lowest 11 bits); an equal revision replaces. False: not all
   * were taken, because the generation has ended or was not begun: look which one is in force.
   */
  put(entries: readonly IndexEntry[]): Promise<boolean>;

  /** Removes what is not newer than the removal's revision. Nothing remembers it: an older `put` that comes later leaves a ghost. */
  remove(removals: readonly IndexRemoval[]): Promise<void>;

  /** The owner's own order. Of revisions as much is known as in `between`. */
  listByOwner(owner: string): Promise<readonly IndexEntry[]>;

  /** When these timers are to fire, by id; those that the index does not have are left out. */
  fireTimes(timers: readonly TimerRef[]): Promise<ReadonlyMap<string, IndexEntry['fireAtMs']>>;

  /**
   * Entries with `fromMs <= fireAtMs < beforeMs`, of each shard the `limit` earliest. Their revisions are known modulo
   * 2048 only: enough to remove them.
   */
  between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]>;

  /** How many entries have `fromMs <= fireAtMs < beforeMs`. */
  countBetween(fromMs: number, beforeMs: number): Promise<number>;

  /** How many entries wait to be due, in each shard. */
  counts(): Promise<readonly number[]>;
}

export interface HandOff {
  /** How many due entries left the order and entered the delivery queue. */
  readonly moved: number;
  /** The fire time of the shard's new head; undefined when the shard is empty. May be past when `limit` was reached. */
  readonly nextFireAtMs: number | undefined;
}

/** From the orders to the queue. */
export interface HandOffs {
  /** Moves up to `limit` (at most 1000) due entries (`fireAtMs <= nowMs`), earliest first, to the delivery queue. */
  handOff(shard: number, nowMs: number, limit: number): Promise<HandOff>;

  /** Calls when a shard gets an earlier head (hints: they may be lost or too many). Returns what ends it. */
  onEarlierHead(listener: (shard: number, fireAtMs: number) => void): () => void;
}

/** Timers handed off together; acked together. */
export interface Delivery {
  readonly shard: number;
  /** What the adapter needs in order to ack; unique in the shard. */
  readonly receipt: string;
  readonly timers: readonly TimerRef[];
}

/** What was handed off, until it is acked. One consumer at a time has the lease on a delivery. */
export interface DeliveryQueue {
  /** About `limit` timers, at once when there are some, else after up to `waitMs`, or when `signal` aborts (then none). */
  receive(limit: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]>;

  /** Deliveries that their consumer received or held at least `idleMs` ago, and did not ack: now this consumer's. */
  reclaim(idleMs: number, limit: number): Promise<readonly Delivery[]>;

  /** Extends the lease: these are worked on still, and nobody is to reclaim them. */
  extendLeases(deliveries: readonly Delivery[]): Promise<void>;

  /** Forgets deliveries. Call it when whatever they caused is committed. */
  ack(deliveries: readonly Delivery[]): Promise<void>;

  /** Drops the names of consumers that hold nothing and gave no sign of life for `idleMs`. */
  forgetConsumers(idleMs: number): Promise<void>;

  /** Of each shard the age of the oldest delivery that is not acked, received or not, in whole ms; 0 when there is none. */
  oldestUnackedMs(): Promise<readonly number[]>;
}

/** How far the generation in use has come. Each shard carries a mark. */
export interface IndexMarks {
  /** Whether every shard has all entries, and none has a lower pulse: that would be an old copy. */
  isWhole(pulse: number): Promise<boolean>;

  /** Counts each shard's pulse on, if all are whole; returns the lowest. Undefined where there is none to compare later. */
  raisePulse(): Promise<number | undefined>;

  /** From now on it takes entries, and lacks some. False when another one is in use. */
  begin(generation: number): Promise<boolean>;

  /** Declares the generation whole. False when it was lost or ended meanwhile, or another one is in use: begin the next. */
  finish(generation: number): Promise<boolean>;

  /** Ends the generation, for every process. Nothing, when another one is in use. */
  retire(generation: number): Promise<void>;

  /** Takes away about `limit` entries of a generation that has ended; returns how much went, 0 when nothing is left. */
  drop(generation: Generation, limit: number): Promise<number>;
}

/** The due index did not respond. What was asked of it may or may not have happened. */
export class IndexUnavailable extends Error {
  readonly code = 'timer/index-unavailable';
  readonly retryable = true;

  constructor(cause: unknown) {
    super('the due index is unavailable', { cause });
    this.name = 'IndexUnavailable';
  }
}
