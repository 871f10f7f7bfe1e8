import type { Clock } from '../../runtime/clock.ts';
import { SignalBox } from '../../runtime/signal-box.ts';
import type { Delivery, DueIndex, HandOff } from '../../timer/index/due-index.ts';
import type { Generation } from '../../timer/index/generation.ts';
import type { IndexEntry, IndexRemoval } from '../../timer/model/index-entry.ts';
import { Wheel } from '../../timer/wheel/wheel.ts';

const TIMERS_A_DELIVERY = 100;
/** The fence compares the lowest 11 bits, as the one in Redis does. */
const REVISIONS = 2048;

interface Record {
  readonly owner: string;
  handle: number;
  revision: number;
}

/** The due index in this process (`DueIndex`): a timing wheel, the owners' timers, and a queue. It is empty at every start. */
export class MemoryDueIndex implements DueIndex {
  readonly shards = 1;
  readonly maxShards = 1;
  readonly isAvailable = true;
  readonly #clock: Clock;
  readonly #records = new Map<string, Record>();
  readonly #owners = new Map<string, Set<string>>();
  readonly #headListeners = new Set<(shard: number, fireAtMs: number) => void>();
  readonly #arrivals = new SignalBox();
  readonly #unacked = new Map<string, { delivery: Delivery; atMs: number }>();
  #wheel: Wheel;
  #queue: Delivery[] = [];
  #receipts = 0;
  #generation = 0;
  #mark: 'rebuilding' | 'whole' | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wheel = new Wheel(clock.nowMs());
  }

  get generation(): number {
    return this.#generation;
  }

  /** There is one wheel, with one shard: what it had is gone. */
  use({ number }: Generation): void {
    if (number === this.#generation) return;
    this.#generation = number;
    this.clear();
  }

  shardOf(): number {
    return 0;
  }

  async put(entries: readonly IndexEntry[]): Promise<boolean> {
    if (this.#mark === undefined) return false;
    const headBefore = this.#wheel.nextFireAtMs() ?? Number.POSITIVE_INFINITY;
    for (const entry of entries) this.#put(entry);
    const head = this.#wheel.nextFireAtMs() ?? Number.POSITIVE_INFINITY;
    if (head < headBefore) for (const listener of this.#headListeners) listener(0, head);
    return true;
  }

  async remove(removals: readonly IndexRemoval[]): Promise<void> {
    for (const { timerId, revision } of removals) {
      const record = this.#records.get(timerId);
      if (record === undefined || isNewer(record.revision, revision)) continue;
      this.#wheel.cancel(record.handle);
      this.#forget(timerId, record.owner);
    }
  }

  async handOff(_shard: number, nowMs: number, limit: number): Promise<HandOff> {
    const due: { timerId: string; owner: string }[] = [];
    while (due.length < limit) {
      const handle = this.#wheel.pop(nowMs);
      if (handle === -1) break;
      const timerId = String(this.#wheel.idOf(handle));
      const owner = this.#records.get(timerId)?.owner ?? '';
      this.#forget(timerId, owner);
      due.push({ timerId, owner });
    }
    for (let at = 0; at < due.length; at += TIMERS_A_DELIVERY) this.#deliver(due.slice(at, at + TIMERS_A_DELIVERY));
    if (due.length > 0) this.#arrivals.ring();
    return { moved: due.length, nextFireAtMs: this.#wheel.nextFireAtMs() };
  }

  async receive(limit: number, waitMs: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    if (this.#queue.length === 0 && waitMs > 0) await this.#arrivals.wait(waitMs, this.#clock.after, signal);
    return signal.aborted ? [] : this.#queue.splice(0, Math.ceil(limit / TIMERS_A_DELIVERY));
  }

  /** Nobody else could have left any: what the process received dies with it. */
  async reclaim(): Promise<readonly Delivery[]> {
    return [];
  }

  async hold(): Promise<void> {}

  async forgetConsumers(): Promise<void> {}

  async ack(deliveries: readonly Delivery[]): Promise<void> {
    for (const { receipt } of deliveries) this.#unacked.delete(receipt);
  }

  async oldestUnackedMs(): Promise<readonly number[]> {
    const [oldest] = this.#unacked.values();
    return [oldest === undefined ? 0 : this.#clock.monotonicMs() - oldest.atMs];
  }

  async listByOwner(owner: string): Promise<readonly { timerId: string; fireAtMs: number }[]> {
    const entries = [...(this.#owners.get(owner) ?? [])].map((timerId) => {
      const record = this.#records.get(timerId);
      return { timerId, fireAtMs: record === undefined ? 0 : this.#wheel.fireAtMsOf(record.handle) };
    });
    return entries.sort(
      (left, right) => left.fireAtMs - right.fireAtMs || Number(left.timerId) - Number(right.timerId),
    );
  }

  async fireTimes(timers: readonly Pick<IndexEntry, 'timerId'>[]): Promise<ReadonlyMap<string, number>> {
    const times = new Map<string, number>();
    for (const { timerId } of timers) {
      const record = this.#records.get(timerId);
      if (record !== undefined) times.set(timerId, this.#wheel.fireAtMsOf(record.handle));
    }
    return times;
  }

  async between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]> {
    const found = this.#wheel.between(fromMs, beforeMs).map((handle) => {
      const timerId = String(this.#wheel.idOf(handle));
      const { owner, revision } = this.#records.get(timerId) ?? { owner: '', revision: 0 };
      return { timerId, owner, revision, fireAtMs: this.#wheel.fireAtMsOf(handle) };
    });
    return found.sort((left, right) => left.fireAtMs - right.fireAtMs).slice(0, limit);
  }

  async count(): Promise<number> {
    return this.#wheel.size;
  }

  async counts(): Promise<readonly number[]> {
    return [this.#wheel.size];
  }

  onEarlierHead(listener: (shard: number, fireAtMs: number) => void): () => void {
    this.#headListeners.add(listener);
    return () => this.#headListeners.delete(listener);
  }

  /** Nobody else works with it. */
  onNewerGeneration(): () => void {
    return () => undefined;
  }

  async isWhole(): Promise<boolean> {
    return this.#mark === 'whole';
  }

  /** It cannot be restored from an old copy. */
  async raisePulse(): Promise<undefined> {
    return undefined;
  }

  async retire(generation: number): Promise<void> {
    if (generation === this.#generation) this.#mark = undefined;
  }

  async beginRebuild(generation: number): Promise<boolean> {
    if (generation !== this.#generation) return false;
    this.#mark = 'rebuilding';
    return true;
  }

  async finishRebuild(generation: number): Promise<boolean> {
    if (generation !== this.#generation || this.#mark === undefined) return false;
    this.#mark = 'whole';
    return true;
  }

  /** What another generation had went when this one came into use. */
  async drop(): Promise<number> {
    return 0;
  }

  /** Loses everything, as a Redis that was emptied. */
  clear(): void {
    this.#wheel = new Wheel(this.#clock.nowMs());
    this.#records.clear();
    this.#owners.clear();
    this.#unacked.clear();
    this.#queue = [];
    this.#mark = undefined;
  }

  #put({ timerId, owner, fireAtMs, revision }: IndexEntry): void {
    const record = this.#records.get(timerId);
    if (record !== undefined) {
      if (isNewer(record.revision, revision)) return;
      record.handle = this.#wheel.move(record.handle, fireAtMs);
      record.revision = revision;
      return;
    }
    this.#records.set(timerId, { owner, revision, handle: this.#wheel.insert(Number(timerId), fireAtMs) });
    const timers = this.#owners.get(owner);
    if (timers === undefined) this.#owners.set(owner, new Set([timerId]));
    else timers.add(timerId);
  }

  #forget(timerId: string, owner: string): void {
    this.#records.delete(timerId);
    const timers = this.#owners.get(owner);
    timers?.delete(timerId);
    if (timers?.size === 0) this.#owners.delete(owner);
  }

  #deliver(timers: Delivery['timers']): void {
    this.#receipts += 1;
    const delivery = { shard: 0, receipt: String(this.#receipts), timers };
    this.#queue.push(delivery);
    this.#unacked.set(delivery.receipt, { delivery, atMs: this.#clock.monotonicMs() });
  }
}

/** Serial-number arithmetic: less than half of the circle ahead. */
const isNewer = (left: number, right: number): boolean => {
  const ahead = (((left - right) % REVISIONS) + REVISIONS) % REVISIONS;
  return ahead > 0 && ahead < REVISIONS / 2;
};
