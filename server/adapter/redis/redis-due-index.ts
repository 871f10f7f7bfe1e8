import type { Cluster, Redis } from 'ioredis';
import type { Clock } from '../../timer/clock.ts';
import type { Delivery, DueIndex, HandOff, IndexEntry, IndexRemoval } from '../../timer/due-index.ts';
import { IndexUnavailable } from '../../timer/index-unavailable.ts';
import { newestEntries } from '../../timer/newest-entries.ts';
import { Availability } from './availability.ts';
import { checkRedis, RedisUnfit } from './check-redis.ts';
import { fenceOf, fireAtMsOfScore, scoreOf } from './fence-score.ts';
import { entryOfMember, pairsOf } from './members.ts';
import { RedisKeys } from './redis-keys.ts';
import { type RedisScripts, redisScripts } from './redis-scripts.ts';
import { RedisStreams } from './redis-streams.ts';
import { shardOf } from './shard-of.ts';
import { StreamReader } from './stream-reader.ts';
import { WakeChannel } from './wake-channel.ts';

/** Lua's `unpack` ends near 8000 values. */
const LARGEST_CALL = 1000;
/** Fewer entries are quicker to read and ack; several workers still share a burst. */
const TIMERS_A_DELIVERY = 10;

interface Dependencies {
  /** Not connected yet (`createRedisClient`); the index connects and ends it, and a duplicate of it. */
  readonly client: Redis | Cluster;
  readonly clock: Clock;
  readonly prefix: string;
  readonly shards: number;
  /** The name of this process among the consumers; unique. */
  readonly consumer: string;
}

/** The due index in Redis (`DueIndex`): each shard a ZSET and the ZSETs of its owners, changed by scripts together. */
export class RedisDueIndex implements DueIndex {
  #shards: number;
  readonly #client: Redis | Cluster;
  readonly #keys: RedisKeys;
  readonly #scripts: RedisScripts;
  readonly #streams: RedisStreams;
  readonly #reader: StreamReader;
  readonly #wake: WakeChannel;
  readonly #availability: Availability;
  readonly #headListeners = new Set<(shard: number, fireAtMs: number) => void>();

  constructor({ client, clock, prefix, shards, consumer }: Dependencies) {
    this.#shards = shards;
    this.#client = client;
    this.#keys = new RedisKeys(prefix);
    this.#scripts = redisScripts(client);
    this.#streams = new RedisStreams({ client, keys: this.#keys, scripts: this.#scripts, shards, consumer });
    const read = (shard: number, count: number) => this.#ask(() => this.#streams.read(shard, count));
    this.#reader = new StreamReader({ clock, shards, read });
    this.#wake = new WakeChannel(client.duplicate(), this.#keys.wakeChannel(), {
      onHead: (shard, score) => {
        for (const listener of this.#headListeners) listener(shard, fireAtMsOfScore(score));
      },
      onDelivery: (shard) => this.#reader.note(shard),
    });
    this.#availability = new Availability({ clock, ping: () => client.ping() });
    client.on('close', () => this.#availability.set(false));
  }

  get shards(): number {
    return this.#shards;
  }

  useShards(shards: number): void {
    this.#shards = shards;
    this.#streams.useShards(shards);
    this.#reader.useShards(shards);
  }

  get isAvailable(): boolean {
    return this.#availability.isAvailable;
  }

  /** Connects. A Redis that is away is no fault (it will be found later); an unfit one throws `RedisUnfit`. */
  async start(): Promise<void> {
    try {
      await Promise.all([this.#client.connect(), this.#wake.connect()]);
      await checkRedis(this.#client);
      this.#availability.set(true);
    } catch (error) {
      if (!(error instanceof RedisUnfit)) return this.#availability.set(false);
      this.stop();
      throw error;
    }
  }

  stop(): void {
    this.#availability.stop();
    this.#wake.close();
    this.#client.disconnect();
    this.#reader.wake();
  }

  async put(entries: readonly IndexEntry[]): Promise<void> {
    await this.#perShard(newestEntries(entries), (shard, chunk) => {
      const args = chunk.flatMap((entry) => [entry.timerId, entry.owner, scoreOf(entry)]);
      const head = [this.#keys.ownerPrefix(shard), this.#keys.wakeChannel(), shard];
      return this.#scripts.put([this.#keys.due(shard)], [...head, ...args]);
    });
  }

  async remove(removals: readonly IndexRemoval[]): Promise<void> {
    await this.#perShard(removals, (shard, chunk) => {
      const args = chunk.flatMap(({ timerId, owner, revision }) => [timerId, owner, fenceOf(revision)]);
      return this.#scripts.remove([this.#keys.due(shard)], [this.#keys.ownerPrefix(shard), ...args]);
    });
  }

  async handOff(shard: number, nowMs: number, limit: number): Promise<HandOff> {
    const keys: [string, string] = [this.#keys.due(shard), this.#keys.stream(shard)];
    const bounds = [Math.floor(nowMs) + 1, Math.min(limit, LARGEST_CALL)];
    const wake = [this.#keys.ownerPrefix(shard), this.#keys.wakeChannel(), shard];
    const reply = await this.#ask(() => this.#scripts.handOff(keys, [...bounds, TIMERS_A_DELIVERY, ...wake]));
    const [moved, next] = reply as [number, string | null];
    // The message may be slower than the answer, or be lost.
    if (moved > 0) this.#reader.note(shard);
    return { moved, nextFireAtMs: next === null ? undefined : fireAtMsOfScore(next) };
  }

  async receive(limit: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    return this.#reader.receive(Math.ceil(limit / TIMERS_A_DELIVERY), waitMs, signal);
  }

  async reclaim(idleMs: number, limit: number): Promise<readonly Delivery[]> {
    const count = Math.max(1, Math.ceil(limit / TIMERS_A_DELIVERY / this.shards));
    return (await this.#eachShard((shard) => this.#streams.claim(shard, idleMs, count))).flat();
  }

  async ack(deliveries: readonly Delivery[]): Promise<void> {
    await this.#perReceipts(deliveries, (shard, receipts) => this.#streams.ack(shard, receipts));
  }

  async hold(deliveries: readonly Delivery[]): Promise<void> {
    await this.#perReceipts(deliveries, (shard, receipts) => this.#streams.hold(shard, receipts));
  }

  async forgetConsumers(idleMs: number): Promise<void> {
    await this.#eachShard((shard) => this.#streams.forgetConsumers(shard, idleMs));
  }

  async oldestUnackedMs(): Promise<number> {
    const oldest = await this.#eachShard((shard) => this.#streams.oldestAtMs(shard));
    const firstAtMs = Math.min(...oldest.filter((atMs) => atMs !== undefined));
    if (firstAtMs === Number.POSITIVE_INFINITY) return 0;
    // The ids of the entries are Redis' own time, so only Redis can tell their age.
    const [seconds, microseconds] = (await this.#ask(() => this.#client.time())).map(Number);
    return Math.max(0, (seconds ?? 0) * 1000 + Math.floor((microseconds ?? 0) / 1000) - firstAtMs);
  }

  async listByOwner(owner: string): Promise<readonly { timerId: string; fireAtMs: number }[]> {
    const key = this.#keys.ownerPrefix(shardOf(owner, this.shards)) + owner;
    return pairsOf(await this.#ask(() => this.#client.zrange(key, 0, -1, 'WITHSCORES'))).map(([timerId, score]) => ({
      timerId,
      fireAtMs: fireAtMsOfScore(score),
    }));
  }

  async fireTimes(timers: readonly Pick<IndexEntry, 'timerId' | 'owner'>[]): Promise<ReadonlyMap<string, number>> {
    const times = new Map<string, number>();
    await this.#perShard(timers, async (shard, chunk) => {
      const members = chunk.map(({ timerId, owner }) => `${timerId}:${owner}`);
      const scores = await this.#client.zmscore(this.#keys.due(shard), ...members);
      chunk.forEach(({ timerId }, at) => {
        const score = scores[at];
        if (score) times.set(timerId, fireAtMsOfScore(score));
      });
    });
    return times;
  }

  async between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]> {
    const found = await this.#eachShard((shard) =>
      this.#client.zrangebyscore(this.#keys.due(shard), fromMs, `(${beforeMs}`, 'WITHSCORES', 'LIMIT', 0, limit),
    );
    return found.flatMap((flat) => pairsOf(flat).map(([member, score]) => entryOfMember(member, score)));
  }

  async count(): Promise<number> {
    const counts = await this.#eachShard((shard) => this.#client.zcard(this.#keys.due(shard)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  onEarlierHead(listener: (shard: number, fireAtMs: number) => void): () => void {
    this.#headListeners.add(listener);
    return () => this.#headListeners.delete(listener);
  }

  async isWhole(generation: number): Promise<boolean> {
    const marks = await this.#eachShard((shard) => this.#client.get(this.#keys.generation(shard)));
    return marks.every((mark) => mark === String(generation));
  }

  async beginRebuild(generation: number): Promise<void> {
    await this.#eachShard((shard) => this.#client.set(this.#keys.generation(shard), rebuilding(generation)));
  }

  async finishRebuild(generation: number): Promise<boolean> {
    const done = await this.#eachShard((shard) =>
      this.#scripts.finishRebuild([this.#keys.generation(shard)], [rebuilding(generation), generation]),
    );
    return done.every((answer) => answer === 1);
  }

  async #perReceipts(
    deliveries: readonly Delivery[],
    call: (shard: number, receipts: readonly string[]) => Promise<unknown>,
  ): Promise<void> {
    for (const [shard, ofShard] of Map.groupBy(deliveries, (delivery) => delivery.shard)) {
      for (let at = 0; at < ofShard.length; at += LARGEST_CALL) {
        const receipts = ofShard.slice(at, at + LARGEST_CALL).map((delivery) => delivery.receipt);
        await this.#ask(() => call(shard, receipts));
      }
    }
  }

  async #perShard<T extends { readonly owner: string }>(
    items: readonly T[],
    call: (shard: number, chunk: readonly T[]) => Promise<unknown>,
  ): Promise<void> {
    const byShard = Map.groupBy(items, (item) => shardOf(item.owner, this.shards));
    const ofShard = async ([shard, all]: [number, T[]]): Promise<void> => {
      for (let at = 0; at < all.length; at += LARGEST_CALL) {
        await this.#ask(() => call(shard, all.slice(at, at + LARGEST_CALL)));
      }
    };
    await Promise.all([...byShard].map(ofShard));
  }

  async #eachShard<T>(call: (shard: number) => Promise<T>): Promise<T[]> {
    return this.#ask(() => Promise.all(Array.from({ length: this.shards }, (_, shard) => call(shard))));
  }

  async #ask<T>(command: () => Promise<T>): Promise<T> {
    try {
      const answer = await command();
      this.#availability.set(true);
      return answer;
    } catch (error) {
      this.#availability.set(false);
      throw new IndexUnavailable(error);
    }
  }
}

const rebuilding = (generation: number): string => `rebuilding:${generation}`;
