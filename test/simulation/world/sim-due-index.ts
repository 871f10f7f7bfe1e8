import { shardOf } from '../../../server/adapter/redis/index/shard-of.ts';
import { StreamReader } from '../../../server/adapter/redis/index/stream-reader.ts';
import { Availability } from '../../../server/adapter/redis/link/availability.ts';
import type { LiveNodes } from '../../../server/timer/dispatch/live-nodes.ts';
import type { Delivery, DueIndex, HandOff } from '../../../server/timer/index/due-index.ts';
import type { Generation } from '../../../server/timer/index/generation.ts';
import { IndexUnavailable } from '../../../server/timer/index/index-unavailable.ts';
import { newestEntries } from '../../../server/timer/index/newest-entries.ts';
import type { IndexEntry, IndexRemoval } from '../../../server/timer/model/index-entry.ts';
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
  readonly maxShards = 1024;
  readonly #process: SimProcess;
  readonly #redis: SimRedis;
  readonly #wire: Wire;
  #inUse: Generation;
  readonly #reader: StreamReader;
  readonly #availability: Availability;
  readonly #headListeners = new Set<(shard: number, fireAtMs: number) => void>();
  readonly #newsListeners = new Set<() => void>();

  constructor({ process, redis, wire, shards, isHeard }: Dependencies) {
    this.#process = process;
    this.#redis = redis;
    this.#wire = wire;
    this.#inUse = { number: 0, shards };
    const { clock } = process;
    this.#reader = new StreamReader({
      clock,
      shards,
      read: (shard, count) => this.#ask('read stream', (own) => redis.read(own, shard, process.name, count)),
    });
    this.#availability = new Availability({ clock, examine: () => wire.ask(process, 'look', () => undefined) });
    this.#availability.found();
    const deaf = redis.listen((generation, shard, hint) => {
      if (!isHeard()) return;
      process.after(1, () => {
        if (generation > this.generation) for (const listener of this.#newsListeners) listener();
        if (generation !== this.generation) return;
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
    return this.#inUse.shards;
  }

  get generation(): number {
    return this.#inUse.number;
  }

  shardOf(owner: string): number {
    return shardOf(owner, this.shards);
  }

  use(generation: Generation): void {
    if (generation.number === this.generation) return;
    this.#inUse = generation;
    this.#reader.use(generation.shards);
  }

  get isAvailable(): boolean {
    return this.#availability.isAvailable;
  }

  put(entries: readonly IndexEntry[]): Promise<boolean> {
    const newest = newestEntries(entries);
    return this.#ask('put', (own) => this.#redis.put(own, newest));
  }

  remove(removals: readonly IndexRemoval[]): Promise<void> {
    return this.#ask('remove', (own) => this.#redis.remove(own, removals));
  }

  async handOff(shard: number, nowMs: number, limit: number): Promise<HandOff> {
    const { generation } = this;
    const handOff = await this.#ask('hand-off', (own) => this.#redis.handOff(own, shard, nowMs, limit));
    if (handOff.moved > 0 && generation === this.generation) this.#reader.note(shard);
    return handOff;
  }

  receive(limit: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    return this.#reader.receive(Math.ceil(limit / TIMERS_A_DELIVERY), waitMs, signal);
  }

  reclaim(idleMs: number, limit: number): Promise<readonly Delivery[]> {
    const count = Math.max(1, Math.ceil(limit / TIMERS_A_DELIVERY / this.shards));
    return this.#eachShard('claim', (own, shard) => this.#redis.claim(own, shard, this.#process.name, idleMs, count));
  }

  hold(deliveries: readonly Delivery[]): Promise<void> {
    return this.#ask('hold', (own) => this.#redis.hold(own, this.#process.name, deliveries));
  }

  ack(deliveries: readonly Delivery[]): Promise<void> {
    return this.#ask('ack', (own) => this.#redis.ack(own, deliveries));
  }

  async forgetConsumers(): Promise<void> {}

  oldestUnackedMs(): Promise<readonly number[]> {
    return this.#ask('oldest', (own) => this.#redis.oldestUnackedMs(own));
  }

  listByOwner(owner: string): Promise<readonly Pick<IndexEntry, 'timerId' | 'fireAtMs'>[]> {
    return this.#ask('list', (own) =>
      this.#redis.entriesOf(own, owner).map(({ timerId, fireAtMs }) => ({ timerId, fireAtMs })),
    );
  }

  fireTimes(timers: readonly Pick<IndexEntry, 'timerId' | 'owner'>[]): Promise<ReadonlyMap<string, number>> {
    return this.#ask('fire times', (own) => this.#redis.fireTimes(own, timers));
  }

  between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]> {
    return this.#ask('between', (own) => this.#redis.between(own, fromMs, beforeMs, limit));
  }

  async count(): Promise<number> {
    return (await this.counts()).reduce((sum, count) => sum + count, 0);
  }

  counts(): Promise<readonly number[]> {
    return this.#ask('count', (own) => this.#redis.counts(own));
  }

  onEarlierHead(listener: (shard: number, fireAtMs: number) => void): () => void {
    this.#headListeners.add(listener);
    return () => this.#headListeners.delete(listener);
  }

  onNewerGeneration(listener: () => void): () => void {
    this.#newsListeners.add(listener);
    return () => this.#newsListeners.delete(listener);
  }

  isWhole(pulse: number): Promise<boolean> {
    return this.#ask('is whole', (own) => this.#redis.areWhole(own, pulse));
  }

  raisePulse(): Promise<number | undefined> {
    return this.#ask('pulse', (own) => this.#redis.raisePulse(own));
  }

  async retire(generation: number): Promise<void> {
    if (generation === this.generation) await this.#ask('retire', (own) => this.#redis.retire(own));
  }

  async beginRebuild(generation: number): Promise<boolean> {
    if (generation !== this.generation) return false;
    await this.#ask('begin rebuild', (own) => this.#redis.beginRebuild(own));
    return true;
  }

  async finishRebuild(generation: number): Promise<boolean> {
    return generation === this.generation && this.#ask('finish rebuild', (own) => this.#redis.finishRebuild(own));
  }

  drop(generation: Generation): Promise<number> {
    return this.#ask('drop', () => this.#redis.drop(generation));
  }

  async #eachShard<T>(what: string, call: (own: Generation, shard: number) => readonly T[]): Promise<readonly T[]> {
    const all = Array.from({ length: this.shards }, (_, shard) => this.#ask(what, (own) => call(own, shard)));
    return (await Promise.all(all)).flat();
  }

  async #ask<T>(what: string, apply: (own: Generation) => T): Promise<T> {
    const own = this.#inUse;
    try {
      return await this.#wire.ask(this.#process, what, () => apply(own));
    } catch (error) {
      this.#availability.lost(error);
      throw new IndexUnavailable(error);
    }
  }
}

/** Heartbeats in the simulated Redis (`LiveNodes`). */
export const simLiveNodes = (process: SimProcess, redis: SimRedis, wire: Wire): LiveNodes => ({
  self: process.name,
  beat: () => wire.ask(process, 'beat', () => redis.beat(process.name)),
  list: () => wire.ask(process, 'list', () => redis.list()),
  leave: () => wire.ask(process, 'leave', () => redis.leave(process.name)),
});
