import { Availability } from '../../server/adapter/redis/availability.ts';
import { StreamReader } from '../../server/adapter/redis/stream-reader.ts';
import type { Delivery, DueIndex, HandOff, IndexEntry, IndexRemoval } from '../../server/timer/due-index.ts';
import { IndexUnavailable } from '../../server/timer/index-unavailable.ts';
import type { LiveNodes } from '../../server/timer/live-nodes.ts';
import { newestEntries } from '../../server/timer/newest-entries.ts';
import type { SimProcess } from './sim-process.ts';
import type { SimRedis } from './sim-redis.ts';
import type { Wire } from './wire.ts';

const TIMERS_A_DELIVERY = 2;

interface Dependencies {
  readonly process: SimProcess;
  readonly redis: SimRedis;
  readonly wire: Wire;
  readonly shards: number;
  /** Whether a hint arrives. */
  readonly isHeard: () => boolean;
}

/** One process' view of the simulated Redis (`DueIndex`). Reads streams and notices absence by the product's own parts. */
export class SimDueIndex implements DueIndex {
  readonly #process: SimProcess;
  readonly #redis: SimRedis;
  readonly #wire: Wire;
  #shards: number;
  readonly #reader: StreamReader;
  readonly #availability: Availability;
  readonly #headListeners = new Set<(shard: number, fireAtMs: number) => void>();

  constructor({ process, redis, wire, shards, isHeard }: Dependencies) {
    this.#process = process;
    this.#redis = redis;
    this.#wire = wire;
    this.#shards = shards;
    const { clock } = process;
    this.#reader = new StreamReader({
      ...{ clock, shards },
      read: (shard, count) => this.#ask('read', () => redis.read(shard, process.name, count)),
    });
    this.#availability = new Availability({ clock, ping: () => wire.ask(process, 'ping', () => undefined) });
    this.#availability.set(true);
    const deaf = redis.listen((shard, hint) => {
      if (!isHeard()) return;
      process.after(1, () => {
        if (hint.type === 'delivery') this.#reader.note(shard);
        else for (const listener of this.#headListeners) listener(shard, hint.fireAtMs);
      });
    });
    process.onDeath(() => {
      deaf();
      this.#availability.stop();
    });
  }

  get shards(): number {
    return this.#shards;
  }

  useShards(shards: number): void {
    this.#shards = shards;
    this.#reader.useShards(shards);
  }

  get isAvailable(): boolean {
    return this.#availability.isAvailable;
  }

  put(entries: readonly IndexEntry[]): Promise<void> {
    const newest = newestEntries(entries);
    return this.#ask('put', () => this.#redis.put(this.#shards, newest));
  }

  remove(removals: readonly IndexRemoval[]): Promise<void> {
    return this.#ask('remove', () => this.#redis.remove(this.#shards, removals));
  }

  async handOff(shard: number, nowMs: number, limit: number): Promise<HandOff> {
    const handOff = await this.#ask('hand-off', () => this.#redis.handOff(shard, nowMs, limit));
    if (handOff.moved > 0) this.#reader.note(shard);
    return handOff;
  }

  receive(limit: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    return this.#reader.receive(Math.ceil(limit / TIMERS_A_DELIVERY), waitMs, signal);
  }

  reclaim(idleMs: number, limit: number): Promise<readonly Delivery[]> {
    const count = Math.max(1, Math.ceil(limit / TIMERS_A_DELIVERY / this.#shards));
    return this.#eachShard('claim', (shard) => this.#redis.claim(shard, this.#process.name, idleMs, count));
  }

  hold(deliveries: readonly Delivery[]): Promise<void> {
    return this.#ask('hold', () => this.#redis.hold(this.#process.name, deliveries));
  }

  ack(deliveries: readonly Delivery[]): Promise<void> {
    return this.#ask('ack', () => this.#redis.ack(deliveries));
  }

  async forgetConsumers(): Promise<void> {}

  oldestUnackedMs(): Promise<number> {
    return this.#ask('oldest', () => this.#redis.oldestUnackedMs(this.#shards));
  }

  listByOwner(owner: string): Promise<readonly Pick<IndexEntry, 'timerId' | 'fireAtMs'>[]> {
    return this.#ask('list', () =>
      this.#redis.entriesOf(this.#shards, owner).map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs })),
    );
  }

  between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]> {
    return this.#ask('between', () => this.#redis.between(this.#shards, fromMs, beforeMs, limit));
  }

  count(): Promise<number> {
    return this.#ask('count', () => this.#redis.entries(this.#shards).length);
  }

  onEarlierHead(listener: (shard: number, fireAtMs: number) => void): () => void {
    this.#headListeners.add(listener);
    return () => this.#headListeners.delete(listener);
  }

  isWhole(generation: number): Promise<boolean> {
    return this.#ask('is whole', () => this.#redis.isMarked(this.#shards, `${generation}`));
  }

  beginRebuild(generation: number): Promise<void> {
    return this.#ask('begin rebuild', () => this.#redis.mark(this.#shards, `rebuilding:${generation}`));
  }

  finishRebuild(generation: number): Promise<boolean> {
    return this.#ask('finish rebuild', () =>
      this.#redis.changeMark(this.#shards, `rebuilding:${generation}`, `${generation}`),
    );
  }

  async #eachShard<T>(what: string, call: (shard: number) => readonly T[]): Promise<readonly T[]> {
    const all = Array.from({ length: this.#shards }, (_, shard) => this.#ask(what, () => call(shard)));
    return (await Promise.all(all)).flat();
  }

  async #ask<T>(what: string, apply: () => T): Promise<T> {
    try {
      const answer = await this.#wire.ask(this.#process, what, apply);
      this.#availability.set(true);
      return answer;
    } catch (error) {
      this.#availability.set(false);
      throw new IndexUnavailable(error);
    }
  }
}

/** Heartbeats in the simulated Redis (`LiveNodes`). */
export const simLiveNodes = (process: SimProcess, redis: SimRedis, wire: Wire): LiveNodes => ({
  self: process.name,
  beat: () => wire.ask(process, 'beat', () => redis.beat(process.name)),
  leave: () => wire.ask(process, 'leave', () => redis.leave(process.name)),
});
