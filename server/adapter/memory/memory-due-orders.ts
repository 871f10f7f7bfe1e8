import type { Clock } from '../../runtime/clock.ts';
import type { DueOrders } from '../../timer/index/due-index.ts';
import type { IndexEntry, IndexRemoval } from '../../timer/model/index-entry.ts';
import { Wheel } from '../../timer/wheel/wheel.ts';
import { HandlesById } from './handles-by-id.ts';
import { HandlesByOwner } from './handles-by-owner.ts';
import { PagedIntegers } from './paged-integers.ts';

const NONE = -1;
/** The fence compares the lowest 11 bits, as in Redis. */
const REVISIONS = 2048;

interface Dependencies {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Whether the generation in use accepts entries. */
  readonly isOpen: () => boolean;
  readonly onEarlierHead: (fireAtMs: number) => void;
}

/**
 * The orders in this process (`DueOrders`): a timing wheel, and the timers of each owner. One shard. A timer is a
 * handle of the wheel and integers by that handle. With objects, the garbage collector and growing maps stalled a
 * process with a million timers for 75 to 200 ms.
 */
export class MemoryDueOrders implements DueOrders {
  readonly #on: Dependencies;
  #byId: HandlesById = new HandlesById();
  #byOwner: HandlesByOwner = new HandlesByOwner();
  #revisions: PagedIntegers = new PagedIntegers();
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
    // The dispatcher wakes at the bound at the latest. Finding the exact head would read a whole slot in each call.
    const { boundMs } = this.#wheel;
    for (const entry of entries) this.#put(entry);
    if (this.#wheel.boundMs < boundMs) this.#on.onEarlierHead(this.#wheel.boundMs);
    return true;
  }

  async remove(removals: readonly IndexRemoval[]): Promise<void> {
    for (const { timerId, revision } of removals) {
      const handle = this.#byId.get(Number(timerId));
      if (handle === NONE || isNewer(this.#revisions.get(handle), revision)) continue;
      this.#wheel.cancel(handle);
      this.#forget(handle);
    }
  }

  async listByOwner(owner: string): Promise<readonly IndexEntry[]> {
    const entries = this.#byOwner.of(owner).map((handle) => this.#entryOf(handle));
    return entries.sort(
      (left, right) => left.fireAtMs - right.fireAtMs || Number(left.timerId) - Number(right.timerId),
    );
  }

  async fireTimes(timers: readonly Pick<IndexEntry, 'timerId'>[]): Promise<ReadonlyMap<string, number>> {
    const times = new Map<string, number>();
    for (const { timerId } of timers) {
      const handle = this.#byId.get(Number(timerId));
      if (handle !== NONE) times.set(timerId, this.#wheel.fireAtMsOf(handle));
    }
    return times;
  }

  async between(fromMs: number, beforeMs: number, limit: number): Promise<readonly IndexEntry[]> {
    const found = this.#wheel.between(fromMs, beforeMs).map((handle) => this.#entryOf(handle));
    return found.sort((left, right) => left.fireAtMs - right.fireAtMs).slice(0, limit);
  }

  async countBetween(fromMs: number, beforeMs: number): Promise<number> {
    return this.#wheel.between(fromMs, beforeMs).length;
  }

  async counts(): Promise<readonly number[]> {
    return [this.#wheel.size];
  }

  /** Removes up to `limit` entries that are due by `nowMs`, earliest first. */
  popDue(nowMs: number, limit: number): readonly { readonly timerId: string; readonly owner: string }[] {
    const due: { timerId: string; owner: string }[] = [];
    while (due.length < limit) {
      const handle = this.#wheel.pop(nowMs);
      if (handle === -1) break;
      due.push({ timerId: String(this.#wheel.idOf(handle)), owner: this.#byOwner.ownerOf(handle) });
      this.#forget(handle);
    }
    return due;
  }

  clear(): void {
    this.#wheel = new Wheel(this.#on.clock.nowMs());
    this.#byId = new HandlesById();
    this.#byOwner = new HandlesByOwner();
    this.#revisions = new PagedIntegers();
  }

  #put({ timerId, owner, fireAtMs, revision }: IndexEntry): void {
    const id = Number(timerId);
    const before = this.#byId.get(id);
    if (before !== NONE && isNewer(this.#revisions.get(before), revision)) return;
    const handle = before === NONE ? this.#wheel.insert(id, fireAtMs) : this.#wheel.move(before, fireAtMs);
    this.#revisions.set(handle, revision);
    if (handle === before) return;
    if (before !== NONE) this.#byOwner.delete(before);
    this.#byId.set(id, handle);
    this.#byOwner.add(handle, owner);
  }

  #entryOf(handle: number): IndexEntry {
    return {
      timerId: String(this.#wheel.idOf(handle)),
      owner: this.#byOwner.ownerOf(handle),
      revision: this.#revisions.get(handle),
      fireAtMs: this.#wheel.fireAtMsOf(handle),
    };
  }

  #forget(handle: number): void {
    this.#byId.delete(this.#wheel.idOf(handle));
    this.#byOwner.delete(handle);
  }
}

/** Serial-number arithmetic: newer means less than half of the circle ahead. */
const isNewer = (left: number, right: number): boolean => {
  const ahead = (((left - right) % REVISIONS) + REVISIONS) % REVISIONS;
  return ahead > 0 && ahead < REVISIONS / 2;
};
