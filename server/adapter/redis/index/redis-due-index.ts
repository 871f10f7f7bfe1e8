import type { Cluster, Redis } from 'ioredis';
import type { Clock } from '../../../runtime/clock.ts';
import { hash32 } from '../../../runtime/hash32.ts';
import type { Delivery, DueIndex, HandOff } from '../../../timer/index/due-index.ts';
import type { Generation } from '../../../timer/index/generation.ts';
import type { IndexEntry, IndexRemoval } from '../../../timer/model/index-entry.ts';
import { RedisLink } from '../link/redis-link.ts';
import type { RedisTrouble } from '../link/redis-trouble.ts';
import { fireAtMsOfScore } from './fence-score.ts';
import { deploymentKeyOf, RedisKeys, wakeChannelOf } from './redis-keys.ts';
import { RedisMarks } from './redis-marks.ts';
import { RedisOrders } from './redis-orders.ts';
import { type RedisScripts, redisScripts } from './redis-scripts.ts';
import { RedisStreams } from './redis-streams.ts';
import { StreamReader } from './stream-reader.ts';
import { WakeChannel } from './wake-channel.ts';

/** Fewer entries are quicker to read and ack; several workers still share a burst. */
const TIMERS_A_DELIVERY = 10;
/** Just long enough to have been written. */
const PROBE_LASTS_MS = 1;

interface Dependencies {
  /** Not connected yet (`createRedisClient`); the index connects and ends it, and a duplicate of it. */
  readonly client: Redis | Cluster;
  readonly clock: Clock;
  readonly prefix: string;
  /** Until a generation is in use. */
  readonly shards: number;
  /** The name of this process among the consumers; unique. */
  readonly consumer: string;
  /** Hears of each trouble, again and again while it lasts, and that there is none any more. */
  readonly report?: (trouble: RedisTrouble | undefined) => void;
}

/** All that Redis has of one generation. A call works with one of them, whatever comes into use meanwhile. */
interface Life {
  readonly keys: RedisKeys;
  readonly orders: RedisOrders;
  readonly streams: RedisStreams;
  readonly marks: RedisMarks;
}

/** The due index in Redis (`DueIndex`): what is due when, the hand-off streams, and how whole they are. */
export class RedisDueIndex implements DueIndex {
  readonly maxShards = 1024;
  readonly #client: Redis | Cluster;
  readonly #prefix: string;
  /** Of the keys: two databases that follow each other never share one, as after a restore. */
  #keyPrefix: string;
  readonly #consumer: string;
  readonly #scripts: RedisScripts;
  readonly #reader: StreamReader;
  readonly #wake: WakeChannel;
  readonly #link: RedisLink;
  readonly #headListeners = new Set<(shard: number, fireAtMs: number) => void>();
  readonly #newsListeners = new Set<() => void>();
  #life: Life;

  constructor({ client, clock, prefix, shards, consumer, report }: Dependencies) {
    this.#client = client;
    this.#prefix = prefix;
    this.#keyPrefix = prefix;
    this.#consumer = consumer;
    this.#scripts = redisScripts(client);
    this.#life = this.#lifeOf({ number: 0, shards });
    const read = (shard: number, count: number) => this.#ask(({ streams }) => streams.read(shard, count));
    this.#reader = new StreamReader({ clock, shards, read });
    this.#wake = new WakeChannel(client.duplicate(), wakeChannelOf(prefix), {
      onHead: (generation, shard, score) => {
        if (!this.#isInUse(generation)) return;
        for (const listener of this.#headListeners) listener(shard, fireAtMsOfScore(score));
      },
      onDelivery: (generation, shard) => {
        if (this.#isInUse(generation)) this.#reader.note(shard);
      },
    });
    this.#link = new RedisLink({
      client,
      clock,
      report,
      deploymentKey: deploymentKeyOf(prefix),
      connect: () => this.#wake.connect(),
      probe: () => this.#probe(),
    });
  }

  get generation(): number {
    return this.#life.keys.number;
  }

  get shards(): number {
    return this.#life.keys.shards;
  }

  shardOf(owner: string): number {
    return this.#life.keys.shardOf(owner);
  }

  use(generation: Generation): void {
    if (generation.number === this.generation) return;
    this.#life = this.#lifeOf(generation);
    this.#reader.use(generation.shards);
  }

  get isAvailable(): boolean {
    return this.#link.isAvailable;
  }

  /** What is wrong with Redis; it may be of use in spite of it. Undefined while all is well. */
  get trouble(): RedisTrouble | undefined {
    return this.#link.trouble;
  }

  /**
   * Connects, and claims the keys for the timers of `deployment`. A Redis that is away, or out of memory, is no fault
   * (it will be found later); an unfit one throws `RedisUnfit`.
   */
  async start(deployment?: string): Promise<void> {
    if (deployment !== undefined) {
      this.#keyPrefix = `${this.#prefix}:${hash32(deployment).toString(36)}`;
      this.#life = this.#lifeOf(this.#life.keys);
    }
    try {
      await this.#link.start(deployment);
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  stop(): void {
    this.#link.stop();
    this.#wake.close();
    this.#reader.wake();
  }

  put(entries: readonly IndexEntry[]): Promise<boolean> {
    return this.#ask(({ orders }) => orders.put(entries));
  }

  remove(removals: readonly IndexRemoval[]): Promise<void> {
    return this.#ask(({ orders }) => orders.remove(removals));
  }

  async handOff(shard: number, nowMs: number, limit: number): Promise<HandOff> {
    const { generation } = this;
    const handOff = await this.#ask(({ orders }) => orders.handOff(shard, nowMs, limit));
    // The message may be slower than the answer, or be lost.
    if (handOff.moved > 0 && generation === this.generation) this.#reader.note(shard);
    return handOff;
  }

  async receive(limit: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    return this.#reader.receive(Math.ceil(limit / TIMERS_A_DELIVERY), waitMs, signal);
  }

  reclaim(idleMs: number, limit: number): Promise<readonly Delivery[]> {
    return this.#ask(({ streams }) => streams.reclaim(idleMs, Math.ceil(limit / TIMERS_A_DELIVERY)));
  }

  ack(deliveries: readonly Delivery[]): Promise<void> {
    return this.#ask(({ streams }) => streams.ack(deliveries));
  }

  hold(deliveries: readonly Delivery[]): Promise<void> {
    return this.#ask(({ streams }) => streams.hold(deliveries));
  }

  forgetConsumers(idleMs: number): Promise<void> {
    return this.#ask(({ streams }) => streams.forgetConsumers(idleMs));
  }

  oldestUnackedMs(): Promise<readonly number[]> {
    return this.#ask(({ streams }) => streams.oldestMs());
  }

  listByOwner(owner: string): Promise<readonly { timerId: string; fireAtMs: number }[]> {
    return this.#ask(({ orders }) => orders.listByOwner(owner));
  }

  fireTimes(timers: readonly Pick<IndexEntry, 'timerId' | 'owner'>[]): Promise<ReadonlyMap<string, number>> {
    return this.#ask(({ orders }) => orders.fireTimes(timers));
  }

  between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]> {
    return this.#ask(({ orders }) => orders.between(fromMs, beforeMs, limit));
  }

  async count(): Promise<number> {
    return (await this.counts()).reduce((sum, count) => sum + count, 0);
  }

  counts(): Promise<readonly number[]> {
    return this.#ask(({ orders }) => orders.counts());
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
    return this.#ask(({ marks }) => marks.areWhole(pulse));
  }

  raisePulse(): Promise<number | undefined> {
    return this.#ask(({ marks }) => marks.raisePulse());
  }

  async retire(generation: number): Promise<void> {
    if (generation === this.generation) await this.#ask(({ marks }) => marks.remove());
  }

  async beginRebuild(generation: number): Promise<boolean> {
    if (generation !== this.generation) return false;
    await this.#ask(({ marks }) => marks.begin());
    return true;
  }

  async finishRebuild(generation: number): Promise<boolean> {
    return generation === this.generation && this.#ask(({ marks }) => marks.finish());
  }

  drop(generation: Generation, limit: number): Promise<number> {
    return this.#ask(() => this.#lifeOf(generation).orders.drop(limit));
  }

  #lifeOf(generation: Generation): Life {
    const keys = new RedisKeys(this.#keyPrefix, generation);
    const shared = { client: this.#client, scripts: this.#scripts, keys };
    const wakeChannel = wakeChannelOf(this.#prefix);
    return {
      keys,
      orders: new RedisOrders({ ...shared, wakeChannel, timersADelivery: TIMERS_A_DELIVERY }),
      streams: new RedisStreams({ ...shared, consumer: this.#consumer }),
      marks: new RedisMarks(shared),
    };
  }

  /** Whether a message concerns us. One of a later generation is news of it. */
  #isInUse(generation: number): boolean {
    if (generation > this.generation) for (const listener of this.#newsListeners) listener();
    return generation === this.generation;
  }

  #probe(): Promise<unknown> {
    const { keys } = this.#life;
    return keys.each((shard) => this.#client.set(keys.probe(shard), '', 'PX', PROBE_LASTS_MS));
  }

  #ask<T>(command: (life: Life) => Promise<T>): Promise<T> {
    return this.#link.ask(() => command(this.#life));
  }
}
