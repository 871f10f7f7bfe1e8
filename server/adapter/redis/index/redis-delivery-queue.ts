import type { Cluster, Redis } from 'ioredis';
import type { Clock } from '../../../runtime/clock.ts';
import type { Delivery, DeliveryQueue } from '../../../timer/index/due-index.ts';
import { receivedInBatches } from './in-batches.ts';
import { TIMERS_A_DELIVERY } from './redis-hand-offs.ts';
import type { RedisInUse } from './redis-in-use.ts';
import type { RedisKeys } from './redis-keys.ts';
import { LARGEST_CALL, type RedisScripts } from './redis-scripts.ts';
import { StreamReader } from './stream-reader.ts';

/** A look passes ten times as many entries as are wanted. Those of living processes may hide a dead one's. */
const MOST_LOOKS = 20;
const GROUP = 'kibble';

/** The entries of one stream in a reply: `[id, [timerId, owner, ...]]`. */
type Entry = [id: string, fields: string[] | null];

interface Dependencies {
  readonly client: Redis | Cluster;
  readonly clock: Clock;
  readonly scripts: RedisScripts;
  readonly inUse: RedisInUse;
  /** This process's name among the consumers. */
  readonly consumer: string;
}

/** The hand-off streams (`DeliveryQueue`): one consumer group, of which this process is one consumer. */
export class RedisDeliveryQueue implements DeliveryQueue {
  readonly #on: Dependencies;
  readonly #reader: StreamReader;
  /** By stream: where the search for idle entries goes on. One call reads a part of the pending entries. */
  #cursors: Map<string, string> = new Map();
  /** Streams that are being opened. */
  readonly #opening = new Map<string, Promise<unknown>>();

  constructor(dependencies: Dependencies) {
    const { clock, inUse } = dependencies;
    this.#on = dependencies;
    this.#reader = new StreamReader({
      clock,
      shards: inUse.shards,
      read: (shard, count) => inUse.ask((keys) => this.#read(keys, shard, count)),
    });
    inUse.onChange((shards) => {
      this.#cursors = new Map();
      this.#reader.use(shards);
    });
  }

  receive(limit: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    return this.#reader.receive(Math.ceil(limit / TIMERS_A_DELIVERY), waitMs, signal);
  }

  reclaim(idleMs: number, limit: number): Promise<readonly Delivery[]> {
    return this.#on.inUse.ask(async (keys) => {
      const count = Math.max(1, Math.ceil(limit / TIMERS_A_DELIVERY / keys.shards));
      return receivedInBatches([...Array(keys.shards).keys()], (shard) => this.#claim(keys, shard, { idleMs, count }));
    });
  }

  extendLeases(deliveries: readonly Delivery[]): Promise<void> {
    const { scripts, consumer } = this.#on;
    return this.#perShard(deliveries, (keys, shard, ids) =>
      this.#withGroup(keys, shard, () => scripts.extendLease([keys.stream(shard)], [GROUP, consumer, ...ids])),
    );
  }

  ack(deliveries: readonly Delivery[]): Promise<void> {
    return this.#perShard(deliveries, (keys, shard, ids) =>
      this.#on.scripts.ack([keys.stream(shard)], [GROUP, ...ids]),
    );
  }

  async forgetConsumers(idleMs: number): Promise<void> {
    const { inUse, scripts } = this.#on;
    const forgetIn = (keys: RedisKeys, shard: number): Promise<unknown> =>
      this.#withGroup(keys, shard, () => scripts.forgetConsumers([keys.stream(shard)], [GROUP, idleMs]));
    await inUse.ask((keys) => keys.each((shard) => forgetIn(keys, shard)));
  }

  /** Acked entries are deleted, so the first entry is the oldest unacked one. */
  oldestUnackedMs(): Promise<readonly number[]> {
    const { client, inUse } = this.#on;
    return inUse.ask(async (keys) => {
      const firsts = await keys.each((shard) => client.xrange(keys.stream(shard), '-', '+', 'COUNT', 1));
      if (firsts.every(([first]) => first === undefined)) return firsts.map(() => 0);
      // The ids of entries are times of Redis' clock, so their age needs that clock.
      const [seconds = 0, microseconds = 0] = (await client.time()).map(Number);
      const nowMs = seconds * 1000 + Math.floor(microseconds / 1000);
      return firsts.map(([first]) => (first ? Math.max(0, nowMs - Number.parseInt(first[0], 10)) : 0));
    });
  }

  /** Notes that a shard's stream has entries. */
  note(shard: number): void {
    this.#reader.note(shard);
  }

  /** Ends all waits. */
  wake(): void {
    this.#reader.wake();
  }

  /** Up to `count` new entries of one shard. */
  async #read(keys: RedisKeys, shard: number, count: number): Promise<Delivery[]> {
    const { client, consumer } = this.#on;
    const reply = await this.#withGroup(keys, shard, () =>
      client.xreadgroup('GROUP', GROUP, consumer, 'COUNT', count, 'STREAMS', keys.stream(shard), '>'),
    );
    const streams = (reply ?? []) as [key: string, entries: Entry[]][];
    return streams.flatMap(([, entries]) => deliveriesOf(keys, shard, entries));
  }

  async #claim(
    keys: RedisKeys,
    shard: number,
    { idleMs, count }: { readonly idleMs: number; readonly count: number },
  ): Promise<Delivery[]> {
    const { client, consumer } = this.#on;
    const [key, cursors] = [keys.stream(shard), this.#cursors];
    let found: Delivery[] = [];
    for (let looks = 0; looks < MOST_LOOKS && found.length === 0; looks += 1) {
      const from = cursors.get(key) ?? '0-0';
      const reply = await this.#withGroup(keys, shard, () =>
        client.xautoclaim(key, GROUP, consumer, idleMs, from, 'COUNT', count),
      );
      const [cursor, entries] = (reply ?? ['0-0', []]) as [cursor: string, entries: Entry[]];
      cursors.set(key, cursor);
      found = deliveriesOf(keys, shard, entries);
      if (cursor === '0-0') break;
    }
    return found;
  }

  /** Skips deliveries of other generations: no process uses their streams any more. */
  #perShard(
    deliveries: readonly Delivery[],
    call: (keys: RedisKeys, shard: number, ids: readonly string[]) => Promise<unknown>,
  ): Promise<void> {
    return this.#on.inUse.ask(async (keys) => {
      for (const [shard, ofShard] of Map.groupBy(deliveries, (delivery) => delivery.shard)) {
        const receipts = ofShard.map(({ receipt }) => receipt.split(':', 2));
        const ids = receipts.flatMap(([generation, id = '']) => (generation === String(keys.number) ? [id] : []));
        for (let at = 0; at < ids.length; at += LARGEST_CALL) await call(keys, shard, ids.slice(at, at + LARGEST_CALL));
      }
    });
  }

  /** A new or emptied shard has no group: the first call that fails for this makes it, reading from the beginning. */
  async #withGroup<T>(keys: RedisKeys, shard: number, command: () => Promise<T>): Promise<T | undefined> {
    try {
      return await command();
    } catch (error) {
      if (!isReply(error, 'NOGROUP')) throw error;
      return (await this.#open(keys, shard)) === 1 ? command() : undefined;
    }
  }

  /** Concurrent callers share one call. */
  #open(keys: RedisKeys, shard: number): Promise<unknown> {
    const stream = keys.stream(shard);
    const opening = this.#opening.get(stream);
    if (opening !== undefined) return opening;
    const opened = this.#on.scripts
      .openStream([stream, keys.mark(shard)], [GROUP])
      .finally(() => this.#opening.delete(stream));
    this.#opening.set(stream, opened);
    return opened;
  }
}

const deliveriesOf = (keys: RedisKeys, shard: number, entries: readonly Entry[]): Delivery[] =>
  entries.map(([id, fields]) => {
    const timers: { timerId: string; owner: string }[] = [];
    for (let at = 0; fields !== null && at + 1 < fields.length; at += 2) {
      timers.push({ timerId: fields[at] ?? '', owner: fields[at + 1] ?? '' });
    }
    return { shard, receipt: `${keys.number}:${id}`, timers };
  });

const isReply = (error: unknown, code: string): boolean => error instanceof Error && error.message.startsWith(code);
