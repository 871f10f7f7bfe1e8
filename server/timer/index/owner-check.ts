import type { Clock } from '../../runtime/clock.ts';
import type { Observe } from '../model/engine-event.ts';
import { entryOf, type IndexEntry } from '../model/index-entry.ts';
import type { TimerStore } from '../model/timer-store.ts';
import { healer, lookAgain } from './compare-index.ts';
import type { DueIndex } from './due-index.ts';

/** What was committed before the check was asked for has reached the index by then. */
const AFTER_MS = 1000;
/** Owners whose rows are read with one statement. */
const BATCH = 100;
/** More are left to the reconciler. */
const MOST_WAITING = 10_000;
const UNTIL_WOKEN_MS = 3_600_000;

interface Dependencies {
  readonly store: Pick<TimerStore, 'listByOwners' | 'read'>;
  readonly index: Pick<DueIndex, 'isAvailable' | 'orders'>;
  /** Asked only where something differs. */
  readonly isIndexWhole: () => Promise<boolean>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly observe: Observe;
  /** An owner waits: `tick` has work. */
  readonly onWaiting: () => void;
}

/**
 * Compares a player's own order in the index with the player's rows, both ways, a moment after somebody has looked at
 * the player, and heals it. One call of the index for each owner, unless something differs.
 */
export class OwnerCheck {
  readonly #on: Dependencies;
  /** By owner, from when on; in that order. */
  readonly #waiting = new Map<string, number>();

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Asks for a check. Of those that wait already, one is enough. */
  note = (owners: readonly string[]): void => {
    const atMs = this.#on.clock.monotonicMs() + AFTER_MS;
    const wereWaiting = this.#waiting.size;
    for (const owner of owners) {
      if (this.#waiting.size < MOST_WAITING && !this.#waiting.has(owner)) this.#waiting.set(owner, atMs);
    }
    if (wereWaiting === 0 && this.#waiting.size > 0) this.#on.onWaiting();
  };

  /** For a loop. Throws `IndexUnavailable` and what the store throws; who was in turn then is left to the reconciler. */
  tick = async (): Promise<number> => {
    const owners = this.#takeBatch();
    if (owners.length > 0 && this.#on.index.isAvailable) await this.#check(owners);
    const [nextAtMs] = this.#waiting.values();
    return nextAtMs === undefined ? UNTIL_WOKEN_MS : Math.max(0, nextAtMs - this.#on.clock.monotonicMs());
  };

  #takeBatch(): readonly string[] {
    const nowMs = this.#on.clock.monotonicMs();
    const owners: string[] = [];
    for (const [owner, atMs] of this.#waiting) {
      if (atMs > nowMs || owners.length === BATCH) break;
      owners.push(owner);
    }
    for (const owner of owners) this.#waiting.delete(owner);
    return owners;
  }

  async #check(owners: readonly string[]): Promise<void> {
    const { store, index, isIndexWhole, observe } = this.#on;
    const [rows, entries] = await Promise.all([store.listByOwners(owners), this.#entriesOf(owners)]);
    const suspects = differing(rows.map(entryOf), entries);
    if (suspects.length === 0 || !(await isIndexWhole())) return;
    const suspected = [...new Set(suspects.map(({ owner }) => owner))];
    const times = async () => timesOf(await this.#entriesOf(suspected));
    await healer(index, observe)(await lookAgain({ store, suspects, times }));
  }

  async #entriesOf(owners: readonly string[]): Promise<readonly IndexEntry[]> {
    return (await Promise.all(owners.map((owner) => this.#on.index.orders.listByOwner(owner)))).flat();
  }
}

/** Rows that the index lacks or has at another time, and entries that no row is for. */
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
