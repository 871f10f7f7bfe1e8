import { shardOf } from '../../server/adapter/redis/shard-of.ts';
import type { Delivery, HandOff, IndexEntry, IndexRemoval } from '../../server/timer/due-index.ts';

const REVISIONS = 2048;
const TIMERS_A_DELIVERY = 2;
const SILENT_MS = 2000;

interface StreamEntry {
  readonly receipt: string;
  readonly timers: Delivery['timers'];
  readonly atMs: number;
}

interface Pending {
  readonly entry: StreamEntry;
  consumer: string;
  atMs: number;
}

/** What Redis keeps of one shard. */
interface Shard {
  readonly due: Map<string, IndexEntry>;
  stream: StreamEntry[];
  readonly pending: Map<string, Pending>;
  mark: string | undefined;
}

type Hint = { readonly type: 'head'; readonly fireAtMs: number } | { readonly type: 'delivery' };

/** The server that all nodes share: shards, streams with one consumer group, heartbeats. Each method is one script. */
export class SimRedis {
  readonly #nowMs: () => number;
  #shards = new Map<number, Shard>();
  #beats = new Map<string, number>();
  #receipts = 0;
  readonly #listeners = new Set<(shard: number, hint: Hint) => void>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  put(shards: number, entries: readonly IndexEntry[]): void {
    for (const [number, ofShard] of Map.groupBy(entries, ({ owner }) => shardOf(owner, shards))) {
      const { due } = this.#shard(number);
      const before = headOf(due);
      for (const entry of ofShard) {
        const present = due.get(entry.timerId);
        if (present === undefined || !isNewer(present.revision, entry.revision)) due.set(entry.timerId, entry);
      }
      const head = headOf(due);
      if (head !== undefined && (before === undefined || head < before)) {
        this.#tell(number, { type: 'head', fireAtMs: head });
      }
    }
  }

  remove(shards: number, removals: readonly IndexRemoval[]): void {
    for (const { timerId, owner, revision } of removals) {
      const { due } = this.#shard(shardOf(owner, shards));
      const present = due.get(timerId);
      if (present !== undefined && !isNewer(present.revision, revision)) due.delete(timerId);
    }
  }

  handOff(number: number, nowMs: number, limit: number): HandOff {
    const shard = this.#shard(number);
    const entries = inOrder(shard.due).filter(({ fireAtMs }) => fireAtMs <= nowMs);
    const taken = entries.slice(0, limit);
    for (let at = 0; at < taken.length; at += TIMERS_A_DELIVERY) {
      const timers = taken.slice(at, at + TIMERS_A_DELIVERY).map(({ timerId, owner }) => ({ timerId, owner }));
      this.#receipts += 1;
      shard.stream.push({ receipt: `${this.#receipts}`, timers, atMs: this.#nowMs() });
    }
    for (const { timerId } of taken) shard.due.delete(timerId);
    if (taken.length > 0) this.#tell(number, { type: 'delivery' });
    return { moved: taken.length, nextFireAtMs: headOf(shard.due) };
  }

  /** What nobody has received yet. */
  read(number: number, consumer: string, count: number): readonly Delivery[] {
    const shard = this.#shard(number);
    const fresh = shard.stream.filter(({ receipt }) => !shard.pending.has(receipt)).slice(0, count);
    for (const entry of fresh) shard.pending.set(entry.receipt, { entry, consumer, atMs: this.#nowMs() });
    return fresh.map((entry) => deliveryOf(number, entry));
  }

  claim(number: number, consumer: string, idleMs: number, count: number): readonly Delivery[] {
    const idle = [...this.#shard(number).pending.values()].filter(({ atMs }) => this.#nowMs() - atMs >= idleMs);
    return idle.slice(0, count).map((pending) => {
      pending.consumer = consumer;
      pending.atMs = this.#nowMs();
      return deliveryOf(number, pending.entry);
    });
  }

  hold(consumer: string, deliveries: readonly Delivery[]): void {
    for (const { shard, receipt } of deliveries) {
      const pending = this.#shard(shard).pending.get(receipt);
      if (pending?.consumer === consumer) pending.atMs = this.#nowMs();
    }
  }

  ack(deliveries: readonly Delivery[]): void {
    for (const { shard: number, receipt } of deliveries) {
      const shard = this.#shard(number);
      shard.pending.delete(receipt);
      shard.stream = shard.stream.filter((entry) => entry.receipt !== receipt);
    }
  }

  oldestUnackedMs(shards: number): number {
    const all = Array.from({ length: shards }, (_, number) => this.#shard(number).stream[0]?.atMs ?? this.#nowMs());
    return this.#nowMs() - Math.min(...all);
  }

  entries(shards: number): readonly IndexEntry[] {
    return Array.from({ length: shards }, (_, number) => inOrder(this.#shard(number).due)).flat();
  }

  entriesOf(shards: number, owner: string): readonly IndexEntry[] {
    return inOrder(this.#shard(shardOf(owner, shards)).due).filter((entry) => entry.owner === owner);
  }

  between(shards: number, fromMs: number, beforeMs: number, limit: number): readonly IndexEntry[] {
    return Array.from({ length: shards }, (_, number) =>
      inOrder(this.#shard(number).due)
        .filter(({ fireAtMs }) => fireAtMs >= fromMs && fireAtMs < beforeMs)
        .slice(0, limit)
        .map((entry) => ({ ...entry, revision: entry.revision % REVISIONS })),
    ).flat();
  }

  isMarked(shards: number, mark: string): boolean {
    return Array.from({ length: shards }, (_, number) => this.#shard(number).mark).every((own) => own === mark);
  }

  mark(shards: number, mark: string): void {
    for (let number = 0; number < shards; number += 1) this.#shard(number).mark = mark;
  }

  /** Of each shard alone: answers whether all had the old mark. */
  changeMark(shards: number, from: string, to: string): boolean {
    let areAll = true;
    for (let number = 0; number < shards; number += 1) {
      const shard = this.#shard(number);
      if (shard.mark === from) shard.mark = to;
      else areAll = false;
    }
    return areAll;
  }

  beat(name: string): readonly string[] {
    this.#beats.set(name, this.#nowMs());
    for (const [node, atMs] of this.#beats) if (this.#nowMs() - atMs > SILENT_MS) this.#beats.delete(node);
    return [...this.#beats.keys()].sort();
  }

  leave(name: string): void {
    this.#beats.delete(name);
  }

  /** Pub/sub: calls with the hints. */
  listen(listener: (shard: number, hint: Hint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  flush(): void {
    this.#shards.clear();
    this.#beats.clear();
  }

  /** A backup; the answer puts it back, whatever was done since. */
  backUp(): () => void {
    const copy = structuredClone({ shards: this.#shards, beats: this.#beats });
    return () => {
      this.#shards = structuredClone(copy.shards);
      this.#beats = structuredClone(copy.beats);
    };
  }

  #shard(number: number): Shard {
    const shard = this.#shards.get(number) ?? { due: new Map(), stream: [], pending: new Map(), mark: undefined };
    this.#shards.set(number, shard);
    return shard;
  }

  #tell(shard: number, hint: Hint): void {
    for (const listener of [...this.#listeners]) listener(shard, hint);
  }
}

/** Serial-number arithmetic on the lowest 11 bits. */
const isNewer = (one: number, other: number): boolean => {
  const ahead = (((one - other) % REVISIONS) + REVISIONS) % REVISIONS;
  return ahead > 0 && ahead < REVISIONS / 2;
};

const inOrder = (due: ReadonlyMap<string, IndexEntry>): IndexEntry[] =>
  [...due.values()].sort(
    (left, right) => left.fireAtMs - right.fireAtMs || Number(left.timerId) - Number(right.timerId),
  );

const headOf = (due: ReadonlyMap<string, IndexEntry>): number | undefined => {
  let head: number | undefined;
  for (const { fireAtMs } of due.values()) if (head === undefined || fireAtMs < head) head = fireAtMs;
  return head;
};

const deliveryOf = (shard: number, { receipt, timers }: StreamEntry): Delivery => ({ shard, receipt, timers });
