import { shardOf } from '../../../server/adapter/redis/index/redis-keys.ts';
import { newestEntries } from '../../../server/adapter/redis/index/redis-orders.ts';
import { StreamReader } from '../../../server/adapter/redis/index/stream-reader.ts';
import { Availability } from '../../../server/adapter/redis/link/availability.ts';
import type { LiveNodes } from '../../../server/timer/dispatch/live-nodes.ts';
import {
  type DeliveryQueue,
  type DueIndex,
  type DueOrders,
  type GenerationInUse,
  type HandOffs,
  type IndexMarks,
  IndexUnavailable,
} from '../../../server/timer/index/due-index.ts';
import type { Generation } from '../../../server/timer/index/generation.ts';
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

/** Which generation a process works with (`GenerationInUse`). */
class SimInUse implements GenerationInUse {
  readonly maxShards = 1024;
  readonly #onChange: (shards: number) => void;
  readonly #listeners = new Set<() => void>();
  present: Generation;

  constructor(shards: number, onChange: (shards: number) => void) {
    this.present = { number: 0, shards };
    this.#onChange = onChange;
  }

  get number(): number {
    return this.present.number;
  }

  get shards(): number {
    return this.present.shards;
  }

  shardOf(owner: string): number {
    return shardOf(owner, this.shards);
  }

  use(generation: Generation): void {
    if (generation.number === this.number) return;
    this.present = generation;
    this.#onChange(generation.shards);
  }

  onNewer(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether a message concerns the process. */
  noteGeneration(generation: number): boolean {
    if (generation > this.number) for (const listener of this.#listeners) listener();
    return generation === this.number;
  }
}

/** One process' view of the simulated Redis (`DueIndex`). Reads streams and notices absence by the product's own parts. */
export class SimDueIndex implements DueIndex {
  readonly inUse: SimInUse;
  readonly #process: SimProcess;
  readonly #redis: SimRedis;
  readonly #wire: Wire;
  readonly #reader: StreamReader;
  readonly #availability: Availability;
  readonly #headListeners = new Set<(shard: number, fireAtMs: number) => void>();

  constructor({ process, redis, wire, shards, isHeard }: Dependencies) {
    this.#process = process;
    this.#redis = redis;
    this.#wire = wire;
    this.inUse = new SimInUse(shards, (count) => this.#reader.use(count));
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
        if (!this.inUse.noteGeneration(generation)) return;
        if (hint.type === 'delivery') this.#reader.note(shard);
        else for (const listener of this.#headListeners) listener(shard, hint.fireAtMs);
      });
    });
    process.onDeath(() => {
      deaf();
      this.#availability.stop();
    });
  }

  get isAvailable(): boolean {
    return this.#availability.isAvailable;
  }

  readonly orders: DueOrders = {
    put: (entries) => {
      const newest = newestEntries(entries);
      return this.#ask('put', (own) => this.#redis.put(own, newest));
    },
    remove: (removals) => this.#ask('remove', (own) => this.#redis.remove(own, removals)),
    listByOwner: (owner) => this.#ask('list', (own) => this.#redis.entriesOf(own, owner)),
    fireTimes: (timers) => this.#ask('fire times', (own) => this.#redis.fireTimes(own, timers)),
    between: (fromMs, beforeMs, limit) =>
      this.#ask('between', (own) => this.#redis.between(own, fromMs, beforeMs, limit)),
    countBetween: (fromMs, beforeMs) =>
      this.#ask('count between', (own) => this.#redis.between(own, fromMs, beforeMs, Number.POSITIVE_INFINITY).length),
    counts: () => this.#ask('count', (own) => this.#redis.counts(own)),
  };

  readonly handOffs: HandOffs = {
    handOff: async (shard, nowMs, limit) => {
      const { number } = this.inUse;
      const handOff = await this.#ask('hand-off', (own) => this.#redis.handOff(own, shard, nowMs, limit));
      if (handOff.moved > 0 && number === this.inUse.number) this.#reader.note(shard);
      return handOff;
    },
    onEarlierHead: (listener) => {
      this.#headListeners.add(listener);
      return () => this.#headListeners.delete(listener);
    },
  };

  readonly queue: DeliveryQueue = {
    receive: (limit, waitMs, signal) => this.#reader.receive(Math.ceil(limit / TIMERS_A_DELIVERY), waitMs, signal),
    reclaim: (idleMs, limit) => {
      const count = Math.max(1, Math.ceil(limit / TIMERS_A_DELIVERY / this.inUse.shards));
      return this.#eachShard('claim', (own, shard) => this.#redis.claim(own, shard, this.#process.name, idleMs, count));
    },
    extendLeases: (deliveries) =>
      this.#ask('extendLeases', (own) => this.#redis.extendLeases(own, this.#process.name, deliveries)),
    ack: (deliveries) => this.#ask('ack', (own) => this.#redis.ack(own, deliveries)),
    forgetConsumers: async () => undefined,
    oldestUnackedMs: () => this.#ask('oldest', (own) => this.#redis.oldestUnackedMs(own)),
  };

  readonly marks: IndexMarks = {
    isWhole: (pulse) => this.#ask('is whole', (own) => this.#redis.areWhole(own, pulse)),
    raisePulse: () => this.#ask('pulse', (own) => this.#redis.raisePulse(own)),
    begin: async (generation) => {
      if (generation !== this.inUse.number) return false;
      await this.#ask('begin rebuild', (own) => this.#redis.beginRebuild(own));
      return true;
    },
    finish: async (generation) =>
      generation === this.inUse.number && this.#ask('finish rebuild', (own) => this.#redis.finishRebuild(own)),
    retire: async (generation) => {
      if (generation === this.inUse.number) await this.#ask('retire', (own) => this.#redis.retire(own));
    },
    drop: (generation) => this.#ask('drop', () => this.#redis.drop(generation)),
  };

  async #eachShard<T>(what: string, call: (own: Generation, shard: number) => readonly T[]): Promise<readonly T[]> {
    const all = Array.from({ length: this.inUse.shards }, (_, shard) => this.#ask(what, (own) => call(own, shard)));
    return (await Promise.all(all)).flat();
  }

  async #ask<T>(what: string, apply: (own: Generation) => T): Promise<T> {
    const own = this.inUse.present;
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
  heartbeat: () => wire.ask(process, 'beat', () => redis.heartbeat(process.name)),
  list: () => wire.ask(process, 'list', () => redis.list()),
  leave: () => wire.ask(process, 'leave', () => redis.leave(process.name)),
});
