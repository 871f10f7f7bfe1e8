import type { Cluster, Redis } from 'ioredis';
import type { Delivery } from '../../../timer/index/due-index.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { RedisScripts } from './redis-scripts.ts';

const GROUP = 'kibble';
/** Lua's `unpack` ends near 8000 values. */
const LARGEST_CALL = 1000;

/** What a command answers about one stream: entries of `[id, [timerId, owner, ...]]`. */
type Entry = [id: string, fields: string[] | null];

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly keys: RedisKeys;
  readonly scripts: RedisScripts;
  readonly consumer: string;
}

/**
 * The hand-off streams of one generation: one consumer group, of which this is one consumer. Errors come out as
 * ioredis throws them.
 */
export class RedisStreams {
  readonly #client: Redis | Cluster;
  readonly #keys: RedisKeys;
  readonly #scripts: RedisScripts;
  readonly #consumer: string;
  /** Where the search for idle entries goes on: one call looks at a part of those that are pending. */
  readonly #cursors = new Map<number, string>();

  constructor({ client, keys, scripts, consumer }: Dependencies) {
    this.#client = client;
    this.#keys = keys;
    this.#scripts = scripts;
    this.#consumer = consumer;
  }

  /** Up to `count` new entries of one shard. */
  async read(shard: number, count: number): Promise<Delivery[]> {
    const key = this.#keys.stream(shard);
    const reply = await this.#withGroup(() =>
      this.#client.xreadgroup('GROUP', GROUP, this.#consumer, 'COUNT', count, 'STREAMS', key, '>'),
    );
    const streams = (reply ?? []) as [key: string, entries: Entry[]][];
    return streams.flatMap(([, entries]) => this.#deliveriesOf(shard, entries));
  }

  /** Entries that some consumer received at least `idleMs` ago and never acked; up to about `count`. */
  async reclaim(idleMs: number, count: number): Promise<Delivery[]> {
    const countOfShard = Math.max(1, Math.ceil(count / this.#keys.shards));
    return (await this.#keys.each((shard) => this.#claim(shard, idleMs, countOfShard))).flat();
  }

  async ack(deliveries: readonly Delivery[]): Promise<void> {
    await this.#perShard(deliveries, (shard, ids) => this.#scripts.ack([this.#keys.stream(shard)], [GROUP, ...ids]));
  }

  /** Entries of this consumer that are worked on still: their idle time begins anew. */
  async hold(deliveries: readonly Delivery[]): Promise<void> {
    await this.#perShard(deliveries, (shard, ids) =>
      this.#withGroup(() => this.#scripts.hold([this.#keys.stream(shard)], [GROUP, this.#consumer, ...ids])),
    );
  }

  /** Consumers that hold nothing and gave no sign of life for so long. */
  async forgetConsumers(idleMs: number): Promise<void> {
    await this.#keys.each((shard) =>
      this.#withGroup(() => this.#scripts.forgetConsumers([this.#keys.stream(shard)], [GROUP, idleMs])),
    );
  }

  /** Of each shard: acked entries are deleted, so the first that is left is the oldest that is not acked. Its age, or 0. */
  async oldestMs(): Promise<readonly number[]> {
    const firsts = await this.#keys.each((shard) =>
      this.#client.xrange(this.#keys.stream(shard), '-', '+', 'COUNT', 1),
    );
    if (firsts.every(([first]) => first === undefined)) return firsts.map(() => 0);
    // The ids of the entries are Redis' own time, so only Redis can tell their age.
    const [seconds = 0, microseconds = 0] = (await this.#client.time()).map(Number);
    const nowMs = seconds * 1000 + Math.floor(microseconds / 1000);
    return firsts.map(([first]) => (first ? Math.max(0, nowMs - Number.parseInt(first[0], 10)) : 0));
  }

  async #claim(shard: number, idleMs: number, count: number): Promise<Delivery[]> {
    const key = this.#keys.stream(shard);
    const from = this.#cursors.get(shard) ?? '0-0';
    const reply = await this.#withGroup(() =>
      this.#client.xautoclaim(key, GROUP, this.#consumer, idleMs, from, 'COUNT', count),
    );
    const [cursor, entries] = (reply ?? ['0-0', []]) as [cursor: string, entries: Entry[]];
    this.#cursors.set(shard, cursor);
    return this.#deliveriesOf(shard, entries);
  }

  /** What was delivered by another generation is left out: its streams are nobody's any more. */
  async #perShard(
    deliveries: readonly Delivery[],
    call: (shard: number, ids: readonly string[]) => Promise<unknown>,
  ): Promise<void> {
    for (const [shard, ofShard] of Map.groupBy(deliveries, (delivery) => delivery.shard)) {
      const receipts = ofShard.map(({ receipt }) => receipt.split(':', 2));
      const ids = receipts.flatMap(([generation, id = '']) => (generation === String(this.#keys.number) ? [id] : []));
      for (let at = 0; at < ids.length; at += LARGEST_CALL) await call(shard, ids.slice(at, at + LARGEST_CALL));
    }
  }

  /** A new or emptied shard has no group: it is made then, for all shards, reading from the beginning. */
  async #withGroup<T>(command: () => Promise<T>): Promise<T | undefined> {
    try {
      return await command();
    } catch (error) {
      if (!isReply(error, 'NOGROUP')) throw error;
      const opened = await this.#keys.each((shard) =>
        this.#scripts.openStream([this.#keys.stream(shard), this.#keys.mark(shard)], [GROUP]),
      );
      return opened.every((answer) => answer === 1) ? command() : undefined;
    }
  }

  #deliveriesOf(shard: number, entries: readonly Entry[]): Delivery[] {
    return entries.map(([id, fields]) => {
      const timers: { timerId: string; owner: string }[] = [];
      for (let at = 0; fields !== null && at + 1 < fields.length; at += 2) {
        timers.push({ timerId: fields[at] ?? '', owner: fields[at + 1] ?? '' });
      }
      return { shard, receipt: `${this.#keys.number}:${id}`, timers };
    });
  }
}

const isReply = (error: unknown, code: string): boolean => error instanceof Error && error.message.startsWith(code);
