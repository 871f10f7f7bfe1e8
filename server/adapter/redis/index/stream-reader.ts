import type { Clock } from '../../../runtime/clock.ts';
import { SignalBox } from '../../../runtime/signal-box.ts';
import type { Delivery } from '../../../timer/index/due-index.ts';
import { receivedInBatches } from './in-batches.ts';

/** How long a lost wake-up may delay a delivery. */
const POLL_EVERY_MS = 1000;

interface Dependencies {
  readonly clock: Clock;
  readonly shards: number;
  /** Reads up to `count` new entries of one shard. */
  readonly read: (shard: number, count: number) => Promise<readonly Delivery[]>;
}

/** Reads only streams that are known to have entries. A blocking read would need a connection for each shard. */
export class StreamReader {
  readonly #on: Omit<Dependencies, 'shards'>;
  #shards: number;
  readonly #arrivals = new SignalBox();
  /** Shards with possibly unread deliveries. */
  readonly #noted = new Set<number>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ shards, ...dependencies }: Dependencies) {
    this.#on = dependencies;
    this.#shards = shards;
  }

  /** From now on reads the streams of another generation, and all of them once. */
  use(shards: number): void {
    this.#shards = shards;
    this.#noted.clear();
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    this.#arrivals.ring();
  }

  /** Notes that a shard's stream has entries. */
  note(shard: number): void {
    this.#noted.add(shard);
    this.#arrivals.ring();
  }

  /** Ends all waits. */
  wake(): void {
    this.#arrivals.ring();
  }

  /** Waiting entries, about `count` a shard; else those that arrive within `waitMs`; none when `signal` aborts. */
  async receive(count: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    const received = await this.#readNoted(count);
    if (received.length > 0 || waitMs <= 0 || signal.aborted) return received;
    await this.#arrivals.wait(Math.min(waitMs, POLL_EVERY_MS), this.#on.clock.after, signal);
    return signal.aborted ? [] : this.#readNoted(count);
  }

  async #readNoted(count: number): Promise<readonly Delivery[]> {
    const nowMs = this.#on.clock.monotonicMs();
    if (nowMs - this.#lookedAtMs >= POLL_EVERY_MS) {
      this.#lookedAtMs = nowMs;
      for (let shard = 0; shard < this.#shards; shard += 1) this.#noted.add(shard);
    }
    const shards = [...this.#noted];
    for (const shard of shards) this.#noted.delete(shard);
    return receivedInBatches(shards, (shard) => this.#readShard(shard, count));
  }

  async #readShard(shard: number, count: number): Promise<readonly Delivery[]> {
    const read = await this.#on.read(shard, count);
    if (read.length >= count) this.note(shard);
    return read;
  }
}
