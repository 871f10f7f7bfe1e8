import type { IndexChanges } from '../model/timer-store.ts';
import type { DueIndex } from './due-index.ts';
import { IndexUnavailable } from './index-unavailable.ts';
import { Untold } from './untold.ts';

const BATCH = 1000;
const UNTIL_WOKEN_MS = 3_600_000;
/** While the index is known to be away. */
const LOOK_EVERY_MS = 250;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

interface Dependencies {
  readonly index: Pick<DueIndex, 'isAvailable' | 'orders'>;
  /** Changes the index over to the generation in force. */
  readonly look?: () => Promise<void>;
  /** Something was not told: `tick` has work. */
  readonly onKept?: () => void;
}

/**
 * Tells the index what was committed. That the index is away is no failure of the caller, whose rows are safe. What it
 * could not be told is kept and told again; what is lost all the same is found by the sweeper and the reconciler.
 */
export class IndexWriter {
  readonly #index: Dependencies['index'];
  readonly #look: () => Promise<void>;
  readonly #onKept: () => void;
  readonly #untold = new Untold();
  #failures = 0;

  constructor({ index, look = async () => undefined, onKept = () => undefined }: Dependencies) {
    this.#index = index;
    this.#look = look;
    this.#onKept = onKept;
  }

  /** Never throws `IndexUnavailable`. */
  async apply(changes: IndexChanges): Promise<void> {
    if (changes.put.length === 0 && changes.remove.length === 0) return;
    if (this.#index.isAvailable && (await this.#tell(changes))) return;
    this.#untold.keep(changes);
    this.#onKept();
  }

  /** For a loop: tells again what was kept, a batch at a time. */
  tick = async (): Promise<number> => {
    if (this.#untold.size === 0) return UNTIL_WOKEN_MS;
    if (!this.#index.isAvailable) return LOOK_EVERY_MS;
    if (await this.#tell(this.#untold.first(BATCH))) {
      this.#failures = 0;
      return 0;
    }
    this.#failures += 1;
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
  };

  /** False when it did not get through. */
  async #tell(changes: IndexChanges): Promise<boolean> {
    const { put, remove } = changes;
    try {
      if (put.length > 0 && !(await this.#index.orders.put(put))) {
        await this.#look();
        // Not taken again: the rows are committed, and the node that refills the index has yet to read them.
        await this.#index.orders.put(put);
      }
      if (remove.length > 0) await this.#index.orders.remove(remove);
    } catch (error) {
      if (!(error instanceof IndexUnavailable)) throw error;
      return false;
    }
    this.#untold.forget(changes);
    return true;
  }
}
