import type { Observe } from '../model/engine-event.ts';
import { entryOf, type IndexEntry } from '../model/index-entry.ts';
import type { TimerStore } from '../model/timer-store.ts';
import { compareAgain, healer } from './compare-index.ts';
import type { DueIndex } from './due-index.ts';

/** The most owners in one statement. */
const BATCH = 100;
/** The reconciler heals any owners beyond this. */
const MOST_OWNERS = 10_000;
/** While the index is away or refilled. */
const POLL_EVERY_MS = 250;
const UNTIL_WOKEN_MS = 3_600_000;

interface Dependencies {
  readonly store: Pick<TimerStore, 'listByOwners' | 'read'>;
  readonly index: Pick<DueIndex, 'isAvailable' | 'orders'>;
  /** Called only if a difference was found. */
  readonly isIndexWhole: () => Promise<boolean>;
  readonly observe: Observe;
}

/**
 * Remembers the owners of updates that the index missed. When the index is back, it compares their entries with their
 * rows, both ways, and heals them.
 */
export class OwnerCheck {
  readonly #on: Dependencies;
  readonly #waiting = new Set<string>();

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Adds owners; an owner that waits already is checked once. Returns true if none waited before: wake the loop. */
  note(owners: readonly string[]): boolean {
    const wereWaiting = this.#waiting.size;
    this.#add(owners);
    return wereWaiting === 0 && this.#waiting.size > 0;
  }

  /** For a loop. Throws `IndexUnavailable` and what the store throws; then the owners go on waiting. */
  tick = async (): Promise<number> => {
    if (this.#waiting.size === 0) return UNTIL_WOKEN_MS;
    if (!this.#on.index.isAvailable) return POLL_EVERY_MS;
    const owners = [...this.#waiting].slice(0, BATCH);
    for (const owner of owners) this.#waiting.delete(owner);
    let isDone = false;
    try {
      isDone = await this.#check(owners);
    } finally {
      // The loop is not woken: a wake-up would end the pause before the next try.
      if (!isDone) this.#add(owners);
    }
    return isDone ? 0 : POLL_EVERY_MS;
  };

  #add(owners: readonly string[]): void {
    for (const owner of owners) if (this.#waiting.size < MOST_OWNERS) this.#waiting.add(owner);
  }

  /** False while the index is refilled: the refill may have read older rows. */
  async #check(owners: readonly string[]): Promise<boolean> {
    const { store, index, isIndexWhole, observe } = this.#on;
    const [rows, entries] = await Promise.all([store.listByOwners(owners), this.#entriesOf(owners)]);
    const suspects = differing(rows.map(entryOf), entries);
    if (suspects.length === 0) return true;
    if (!(await isIndexWhole())) return false;
    const suspected = [...new Set(suspects.map(({ owner }) => owner))];
    const times = async () => timesOf(await this.#entriesOf(suspected));
    await healer({ store, index }, observe)(await compareAgain({ store, suspects, times }));
    return true;
  }

  async #entriesOf(owners: readonly string[]): Promise<readonly IndexEntry[]> {
    return (await Promise.all(owners.map((owner) => this.#on.index.orders.listByOwner(owner)))).flat();
  }
}

/** Rows with a missing or misplaced entry, and entries without a row. */
const differing = (rows: readonly IndexEntry[], entries: readonly IndexEntry[]): readonly IndexEntry[] => {
  const times = timesOf(entries);
  const known = new Set(rows.map(({ timerId }) => timerId));
  return [
    ...rows.filter(({ timerId, fireAtMs }) => times.get(timerId) !== fireAtMs),
    ...entries.filter(({ timerId }) => !known.has(timerId)),
  ];
};

const timesOf = (entries: readonly IndexEntry[]): ReadonlyMap<string, number> =>
  new Map(entries.map(({ timerId, fireAtMs }) => [timerId, fireAtMs]));
