import type { IndexEntry } from '../model/index-entry.ts';

/** More than one turn of the sweeper finds. What does not fit is only put, and counted, once more. */
const MOST_ROWS = 20_000;
const COUNTED_EVERY_MS = 60_000;

interface Swept {
  readonly revision: number;
  readonly countedAtMs: number;
  readonly sweptAtMs: number;
}

/** The rows that the sweeper found lately: each counts once a minute at most, however often it is found. */
export class SweptRows {
  readonly #rows = new Map<string, Swept>();

  /** Notes that these were found and dealt with; returns how many of them count. Times are of the monotonic clock. */
  note(rows: readonly IndexEntry[], nowMs: number): number {
    let news = 0;
    for (const { timerId, revision } of rows) {
      const known = this.#rows.get(timerId);
      const isNews = known?.revision !== revision || nowMs - known.countedAtMs >= COUNTED_EVERY_MS;
      if (isNews) news += 1;
      this.#rows.delete(timerId);
      const countedAtMs = isNews ? nowMs : known.countedAtMs;
      this.#rows.set(timerId, { revision, countedAtMs, sweptAtMs: nowMs });
    }
    this.#forgetOldest();
    return news;
  }

  /** When it was last dealt with at this revision. */
  sweptAtMs({ timerId, revision }: IndexEntry): number {
    const known = this.#rows.get(timerId);
    return known?.revision === revision ? known.sweptAtMs : Number.NEGATIVE_INFINITY;
  }

  #forgetOldest(): void {
    for (const timerId of this.#rows.keys()) {
      if (this.#rows.size <= MOST_ROWS) return;
      this.#rows.delete(timerId);
    }
  }
}
