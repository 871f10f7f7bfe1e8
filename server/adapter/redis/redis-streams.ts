import type { Cluster, Redis } from 'ioredis';
import type { Delivery } from '../../timer/due-index.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { RedisScripts } from './redis-scripts.ts';

const GROUP = 'kibble';

/** What a command answers about one stream: entries of `[id, [timerId, owner, ...]]`. */
type Entry = [id: string, fields: string[] | null];

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly keys: RedisKeys;
  readonly scripts: RedisScripts;
  readonly shards: number;
  readonly consumer: string;
}

/** The hand-off streams: one consumer group, of which this is one consumer. Errors come out as ioredis throws them. */
export class RedisStreams {
  readonly #client: Redis | Cluster;
  readonly #keys: RedisKeys;
  readonly #scripts: RedisScripts;
  readonly #shards: number;
  readonly #consumer: string;
  /** Where the search for idle entries goes on: one call looks at a part of those that are pending. */
  readonly #cursors = new Map<number, string>();

  constructor({ client, keys, scripts, shards, consumer }: Dependencies) {
    this.#client = client;
    this.#keys = keys;
    this.#scripts = scripts;
    this.#shards = shards;
    this.#consumer = consumer;
  }

  /** Up to `count` new entries of one shard. */
  async read(shard: number, count: number): Promise<Delivery[]> {
    const key = this.#keys.stream(shard);
    const reply = await this.#withGroup(() =>
      this.#client.xreadgroup('GROUP', GROUP, this.#consumer, 'COUNT', count, 'STREAMS', key, '>'),
    );
    const streams = (reply ?? []) as [key: string, entries: Entry[]][];
    return streams.flatMap(([, entries]) => deliveriesOf(shard, entries));
  }

  /** Entries that some consumer received at least `idleMs` ago and never acked. */
  async claim(shard: number, idleMs: number, count: number): Promise<Delivery[]> {
    const key = this.#keys.stream(shard);
    const from = this.#cursors.get(shard) ?? '0-0';
    const reply = await this.#withGroup(() =>
      this.#client.xautoclaim(key, GROUP, this.#consumer, idleMs, from, 'COUNT', count),
    );
    const [cursor, entries] = reply as [cursor: string, entries: Entry[]];
    this.#cursors.set(shard, cursor);
    return deliveriesOf(shard, entries);
  }

  async ack(shard: number, receipts: readonly string[]): Promise<void> {
    await this.#scripts.ack([this.#keys.stream(shard)], [GROUP, ...receipts]);
  }

  /** Entries of this consumer that are worked on still: their idle time begins anew. */
  async hold(shard: number, receipts: readonly string[]): Promise<void> {
    await this.#withGroup(() => this.#scripts.hold([this.#keys.stream(shard)], [GROUP, this.#consumer, ...receipts]));
  }

  /** Consumers that hold nothing and gave no sign of life for so long. */
  async forgetConsumers(shard: number, idleMs: number): Promise<void> {
    await this.#withGroup(() => this.#scripts.forgetConsumers([this.#keys.stream(shard)], [GROUP, idleMs]));
  }

  /** Acked entries are deleted, so the first one that is left is the oldest that is not acked. */
  async oldestAtMs(shard: number): Promise<number | undefined> {
    const [first] = await this.#client.xrange(this.#keys.stream(shard), '-', '+', 'COUNT', 1);
    return first && Number.parseInt(first[0], 10);
  }

  /** A new or emptied Redis has no group: it is made then, for all shards, reading from the beginning. */
  async #withGroup<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } catch (error) {
      if (!isReply(error, 'NOGROUP')) throw error;
      await Promise.all(Array.from({ length: this.#shards }, (_, shard) => this.#createGroup(shard)));
      return command();
    }
  }

  async #createGroup(shard: number): Promise<void> {
    try {
      await this.#client.xgroup('CREATE', this.#keys.stream(shard), GROUP, '0', 'MKSTREAM');
    } catch (error) {
      if (!isReply(error, 'BUSYGROUP')) throw error;
    }
  }
}

const isReply = (error: unknown, code: string): boolean => error instanceof Error && error.message.startsWith(code);

const deliveriesOf = (shard: number, entries: readonly Entry[]): Delivery[] =>
  entries.map(([receipt, fields]) => {
    const timers: { timerId: string; owner: string }[] = [];
    for (let at = 0; fields !== null && at + 1 < fields.length; at += 2) {
      timers.push({ timerId: fields[at] ?? '', owner: fields[at + 1] ?? '' });
    }
    return { shard, receipt, timers };
  });
