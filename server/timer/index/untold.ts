import type { IndexEntry, IndexRemoval } from '../model/index-entry.ts';
import type { IndexChanges } from '../model/timer-store.ts';

/** What is beyond this is left to the sweeper and the reconciler. */
const MOST_TIMERS = 10_000;

type Change =
  | { readonly type: 'put'; readonly of: IndexEntry }
  | { readonly type: 'remove'; readonly of: IndexRemoval };

/** What the index has not been told: of each timer the newest change. Lost with the process. */
export class Untold {
  readonly #changes = new Map<string, Change>();

  get size(): number {
    return this.#changes.size;
  }

  keep(changes: IndexChanges): void {
    for (const change of each(changes)) {
      const known = this.#changes.get(change.of.timerId);
      const isFull = known === undefined && this.#changes.size >= MOST_TIMERS;
      if (isFull || (known !== undefined && known.of.revision > change.of.revision)) continue;
      this.#changes.set(change.of.timerId, change);
    }
  }

  /** The index was told of these: what is not newer is of no interest any more. */
  forget(changes: IndexChanges): void {
    if (this.#changes.size === 0) return;
    for (const { of } of each(changes)) {
      const known = this.#changes.get(of.timerId);
      if (known !== undefined && known.of.revision <= of.revision) this.#changes.delete(of.timerId);
    }
  }

  /** Those that were kept first. */
  first(limit: number): IndexChanges {
    const some = [...this.#changes.values()].slice(0, limit);
    return {
      put: some.flatMap((change) => (change.type === 'put' ? change.of : [])),
      remove: some.flatMap((change) => (change.type === 'remove' ? change.of : [])),
    };
  }
}

const each = ({ put, remove }: IndexChanges): readonly Change[] => [
  ...put.map((of) => ({ type: 'put' as const, of })),
  ...remove.map((of) => ({ type: 'remove' as const, of })),
];
