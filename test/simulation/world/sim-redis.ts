import { shardOf } from '../../../server/adapter/redis/index/redis-keys.ts';
import type { Delivery, HandOff } from '../../../server/timer/index/due-index.ts';
import type { Generation } from '../../../server/timer/index/generation.ts';
import type { IndexEntry, IndexRemoval } from '../../../server/timer/model/index-entry.ts';

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
  /** Its pulse when it is whole; without one it takes nothing. */
  mark: 'rebuilding' | number | undefined;
}

type Hint = { readonly type: 'head'; readonly fireAtMs: number } | { readonly type: 'delivery' };

/** The server that all nodes share: shards, streams with one consumer group, heartbeats. Each method is one script. */
export class SimRedis {
  readonly #nowMs: () => number;
  /** By generation and number. */
  #shards = new Map<string, Shard>();
  #beats = new Map<string, number>();
  #receipts = 0;
  readonly #listeners = new Set<(generation: number, shard: number, hint: Hint) => void>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** False when a shard takes nothing. */
  put(generation: Generation, entries: readonly IndexEntry[]): boolean {
    let areTaken = true;
    for (const [number, ofShard] of Map.groupBy(entries, ({ owner }) => shardOf(owner, generation.shards))) {
      const { due, mark } = this.#shard(generation, number);
      if (mark === undefined) {
        areTaken = false;
        continue;
      }
      const before = headOf(due);
      for (const entry of ofShard) {
        const present = due.get(entry.timerId);
        if (present === undefined || !isNewer(present.revision, entry.revision)) due.set(entry.timerId, entry);
      }
      const head = headOf(due);
      if (head !== undefined && (before === undefined || head < before)) {
        this.#tell(generation, number, { type: 'head', fireAtMs: head });
      }
    }
    return areTaken;
  }

  remove(generation: Generation, removals: readonly IndexRemoval[]): void {
    for (const { timerId, owner, revision } of removals) {
      const { due } = this.#shard(generation, shardOf(owner, generation.shards));
      const present = due.get(timerId);
      if (present !== undefined && !isNewer(present.revision, revision)) due.delete(timerId);
    }
  }

  handOff(generation: Generation, number: number, nowMs: number, limit: number): HandOff {
    const shard = this.#shard(generation, number);
    const entries = inOrder(shard.due).filter(({ fireAtMs }) => fireAtMs <= nowMs);
    const taken = entries.slice(0, limit);
    for (let at = 0; at < taken.length; at += TIMERS_A_DELIVERY) {
      const timers = taken.slice(at, at + TIMERS_A_DELIVERY).map(({ timerId, owner }) => ({ timerId, owner }));
      this.#receipts += 1;
      shard.stream.push({ receipt: `${generation.number}:${this.#receipts}`, timers, atMs: this.#nowMs() });
    }
    for (const { timerId } of taken) shard.due.delete(timerId);
    if (taken.length > 0) this.#tell(generation, number, { type: 'delivery' });
    return { moved: taken.length, nextFireAtMs: headOf(shard.due) };
  }

  /** What no worker has received yet. */
  read(generation: Generation, number: number, consumer: string, count: number): readonly Delivery[] {
    const shard = this.#shard(generation, number);
    const fresh = shard.stream.filter(({ receipt }) => !shard.pending.has(receipt)).slice(0, count);
    for (const entry of fresh) shard.pending.set(entry.receipt, { entry, consumer, atMs: this.#nowMs() });
    return fresh.map((entry) => deliveryOf(number, entry));
  }

  claim(generation: Generation, number: number, consumer: string, idleMs: number, count: number): readonly Delivery[] {
    const idle = [...this.#shard(generation, number).pending.values()].filter(
      ({ atMs }) => this.#nowMs() - atMs >= idleMs,
    );
    return idle.slice(0, count).map((pending) => {
      pending.consumer = consumer;
      pending.atMs = this.#nowMs();
      return deliveryOf(number, pending.entry);
    });
  }

  extendLeases(generation: Generation, consumer: string, deliveries: readonly Delivery[]): void {
    for (const { shard, receipt } of deliveries) {
      const pending = this.#shard(generation, shard).pending.get(receipt);
      if (pending?.consumer === consumer) pending.atMs = this.#nowMs();
    }
  }

  ack(generation: Generation, deliveries: readonly Delivery[]): void {
    for (const { shard: number, receipt } of deliveries) {
      const shard = this.#shard(generation, number);
      shard.pending.delete(receipt);
      shard.stream = shard.stream.filter((entry) => entry.receipt !== receipt);
    }
  }

  oldestUnackedMs(generation: Generation): readonly number[] {
    const ageOf = (atMs = this.#nowMs()): number => Math.floor(this.#nowMs() - atMs);
    return this.#all(generation).map(({ stream }) => ageOf(stream[0]?.atMs));
  }

  unacked(generation: Generation): number {
    return this.#all(generation).reduce((sum, { stream }) => sum + stream.length, 0);
  }

  entries(generation: Generation): readonly IndexEntry[] {
    return this.#all(generation).flatMap(({ due }) => inOrder(due));
  }

  counts(generation: Generation): readonly number[] {
    return this.#all(generation).map(({ due }) => due.size);
  }

  entriesOf(generation: Generation, owner: string): readonly IndexEntry[] {
    const { due } = this.#shard(generation, shardOf(owner, generation.shards));
    return inOrder(due).filter((entry) => entry.owner === owner);
  }

  fireTimes(generation: Generation, timers: readonly { timerId: string; owner: string }[]): Map<string, number> {
    const own = timers.flatMap((timer) => this.entriesOf(generation, timer.owner));
    const asked = new Set(timers.map(({ timerId }) => timerId));
    return new Map(own.flatMap(({ timerId, fireAtMs }) => (asked.has(timerId) ? [[timerId, fireAtMs]] : [])));
  }

  between(generation: Generation, fromMs: number, beforeMs: number, limit: number): readonly IndexEntry[] {
    return this.#all(generation).flatMap(({ due }) =>
      inOrder(due)
        .filter(({ fireAtMs }) => fireAtMs >= fromMs && fireAtMs < beforeMs)
        .slice(0, limit)
        .map((entry) => ({ ...entry, revision: entry.revision % REVISIONS })),
    );
  }

  areWhole(generation: Generation, pulse: number): boolean {
    return this.#all(generation).every(({ mark }) => typeof mark === 'number' && mark >= pulse);
  }

  raisePulse(generation: Generation): number | undefined {
    const marks = this.#all(generation).map((shard) => {
      if (typeof shard.mark === 'number') shard.mark += 1;
      return shard.mark;
    });
    const whole = marks.filter((mark) => typeof mark === 'number');
    return whole.length === marks.length ? Math.min(...whole) : undefined;
  }

  beginRebuild(generation: Generation): void {
    for (const shard of this.#all(generation)) shard.mark = 'rebuilding';
  }

  /** Of each shard alone. */
  finishRebuild(generation: Generation): boolean {
    const all = this.#all(generation);
    for (const shard of all) if (shard.mark === 'rebuilding') shard.mark = 0;
    return all.every(({ mark }) => mark !== undefined);
  }

  retire(generation: Generation): void {
    for (const shard of this.#all(generation)) shard.mark = undefined;
  }

  drop(generation: Generation): number {
    const numbers = Array.from({ length: generation.shards }, (_, number) => `${generation.number}:${number}`);
    return numbers.filter((name) => this.#shards.delete(name)).length;
  }

  heartbeat(name: string): readonly string[] {
    this.#beats.set(name, this.#nowMs());
    for (const [node, atMs] of this.#beats) if (this.#nowMs() - atMs > SILENT_MS) this.#beats.delete(node);
    return this.list();
  }

  list(): readonly string[] {
    return [...this.#beats.keys()].sort();
  }

  leave(name: string): void {
    this.#beats.delete(name);
  }

  /** Pub/sub: calls with the hints. */
  listen(listener: (generation: number, shard: number, hint: Hint) => void): () => void {
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

  #all(generation: Generation): readonly Shard[] {
    return Array.from({ length: generation.shards }, (_, number) => this.#shard(generation, number));
  }

  #shard(generation: Generation, number: number): Shard {
    const name = `${generation.number}:${number}`;
    const shard = this.#shards.get(name) ?? { due: new Map(), stream: [], pending: new Map(), mark: undefined };
    this.#shards.set(name, shard);
    return shard;
  }

  #tell(generation: Generation, shard: number, hint: Hint): void {
    for (const listener of [...this.#listeners]) listener(generation.number, shard, hint);
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
