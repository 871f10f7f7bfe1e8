import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';

/**
 * `reconciled`: in the index again, in the same generation. `rebuilt`: in a later one. `unseen`: fired before a look found
 * it there, by the sweep or in between two looks.
 */
export type Way = 'reconciled' | 'rebuilt' | 'unseen';

/** Watches by which way lost entries come back. */
export class WaysBack {
  readonly #index: Pick<DueIndex, 'inUse' | 'orders'>;
  readonly #generation: number;
  readonly #missing: Map<string, IndexEntry>;
  readonly #back: Record<Way, number> = { reconciled: 0, rebuilt: 0, unseen: 0 };

  constructor(index: Pick<DueIndex, 'inUse' | 'orders'>, generation: number, lost: readonly IndexEntry[]) {
    this.#index = index;
    this.#generation = generation;
    this.#missing = new Map(lost.map((entry) => [entry.timerId, entry]));
  }

  /** To be called again and again while they come back. Finds nothing while the index is away. */
  async look(): Promise<void> {
    if (this.#missing.size === 0) return;
    const entries = [...this.#missing.values()];
    const { number } = this.#index.inUse;
    const times = await this.#index.orders.fireTimes(entries).catch(() => new Map<string, number>());
    for (const { timerId, fireAtMs } of entries) {
      if (times.get(timerId) !== fireAtMs) continue;
      this.#missing.delete(timerId);
      this.#back[number > this.#generation ? 'rebuilt' : 'reconciled'] += 1;
    }
  }

  /** To be called when all were fired. */
  counts(): Readonly<Record<Way, number>> {
    return { ...this.#back, unseen: this.#missing.size };
  }
}
