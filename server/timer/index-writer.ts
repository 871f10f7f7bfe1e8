import type { DueIndex } from './due-index.ts';
import { IndexUnavailable } from './index-unavailable.ts';
import type { IndexChanges } from './timer-store.ts';

/**
 * Tells the index what was committed. That the index is away is no failure of the caller, whose rows are safe: the
 * sweeper fires them while they are due, and the reconciler brings the index up to date before others are.
 */
export class IndexWriter {
  readonly #index: DueIndex;
  readonly #look: () => Promise<void>;

  /** `look` changes the index over to the generation in force. */
  constructor(index: DueIndex, look: () => Promise<void> = async () => undefined) {
    this.#index = index;
    this.#look = look;
  }

  /** Never throws `IndexUnavailable`. */
  async apply({ put, remove }: IndexChanges): Promise<void> {
    if (put.length === 0 && remove.length === 0) return;
    if (!this.#index.isAvailable) return;
    try {
      if (put.length > 0 && !(await this.#index.put(put))) {
        await this.#look();
        // Not taken again: the rows are committed, and whoever refills the index has yet to read them.
        await this.#index.put(put);
      }
      if (remove.length > 0) await this.#index.remove(remove);
    } catch (error) {
      if (!(error instanceof IndexUnavailable)) throw error;
    }
  }
}
