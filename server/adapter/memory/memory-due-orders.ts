import type { Clock } from '../../runtime/clock.ts';
import type { DueOrders } from '../../timer/index/due-index.ts';
import type { IndexEntry, IndexRemoval } from '../../timer/model/index-entry.ts';
import { Wheel } from '../../timer/wheel/wheel.ts';

/** The fence compares the lowest 11 bits, as the one in Redis does. */
const REVISIONS = 2048;

interface Record {
  readonly owner: string;
  handle: number;
  revision: number;
}

interface Dependencies {
  readonly clock: Clock;
  /** Whether the generation in use takes entries. */
  readonly isOpen: () => boolean;
  readonly onEarlierHead: (fireAtMs: number) => void;
}

/** What is due when (`DueOrders`): a timing wheel, and the timers of each owner. One shard. */
export class MemoryDueOrders implements DueOrders {
  readonly #on: Dependencies;
  readonly #records = new Map<string, Record>();
  readonly #owners = new Map<string, Set<string>>();
  #wheel: Wheel;

  /** @internal */
  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    this.#wheel = new Wheel(dependencies.clock.nowMs());
  }

  get nextFireAtMs(): number | undefined {
    return this.#wheel.nextFireAtMs();
  }

  async put(entries: readonly IndexEntry[]): Promise<boolean> {
    if (!this.#on.isOpen()) return false;
    const headBefore = this.nextFireAtMs ?? Number.POSITIVE_INFINITY;
    for (const entry of entries) this.#put(entry);
    const head = this.nextFireAtMs ?? Number.POSITIVE_INFINITY;
    if (head < headBefore) this.#on.onEarlierHead(head);
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

  async listByOwner(owner: string): Promise<readonly IndexEntry[]> {
    const entries = [...(this.#owners.get(owner) ?? [])].flatMap((timerId) => {
      const record = this.#records.get(timerId);
      return record === undefined ? [] : [{ timerId, ...this.#entryOf(record) }];
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
    const found = this.#wheel.between(fromMs, beforeMs).flatMap((handle) => {
      const timerId = String(this.#wheel.idOf(handle));
      const record = this.#records.get(timerId);
      return record === undefined ? [] : [{ timerId, ...this.#entryOf(record) }];
    });
    return found.sort((left, right) => left.fireAtMs - right.fireAtMs).slice(0, limit);
  }

  async counts(): Promise<readonly number[]> {
    return [this.#wheel.size];
  }

  /** Takes out up to `limit` that are due by `nowMs`, earliest first. */
  takeDue(nowMs: number, limit: number): readonly { readonly timerId: string; readonly owner: string }[] {
    const due: { timerId: string; owner: string }[] = [];
    while (due.length < limit) {
      const handle = this.#wheel.pop(nowMs);
      if (handle === -1) break;
      const timerId = String(this.#wheel.idOf(handle));
      const owner = this.#records.get(timerId)?.owner ?? '';
      this.#forget(timerId, owner);
      due.push({ timerId, owner });
    }
    return due;
  }

  clear(): void {
    this.#wheel = new Wheel(this.#on.clock.nowMs());
    this.#records.clear();
    this.#owners.clear();
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

  #entryOf({ owner, revision, handle }: Record): Omit<IndexEntry, 'timerId'> {
    return { owner, revision, fireAtMs: this.#wheel.fireAtMsOf(handle) };
  }

  #forget(timerId: string, owner: string): void {
    this.#records.delete(timerId);
    const timers = this.#owners.get(owner);
    timers?.delete(timerId);
    if (timers?.size === 0) this.#owners.delete(owner);
  }
}

/** Serial-number arithmetic: less than half of the circle ahead. */
const isNewer = (left: number, right: number): boolean => {
  const ahead = (((left - right) % REVISIONS) + REVISIONS) % REVISIONS;
  return ahead > 0 && ahead < REVISIONS / 2;
};
