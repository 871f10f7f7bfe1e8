interface Call<Item, Outcome> {
  readonly items: readonly Item[];
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: unknown): void;
}

interface Dependencies<Item, Outcome> {
  /** Outcomes in the order of the items. */
  readonly run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  /** Whether an error may be due to one call, so that the others deserve a try without it. */
  readonly isOfOne: (error: unknown) => boolean;
  /** Items in a batch; a single call may have more. */
  readonly limit: number;
}

/**
 * Runs concurrent calls together, one batch after the other: while one runs, the next collects. A call that comes
 * alone starts at once. Calls keep their order.
 */
export class Coalescer<Item, Outcome> {
  readonly #dependencies: Dependencies<Item, Outcome>;
  #waiting: Call<Item, Outcome>[] = [];
  #isRunning = false;

  constructor(dependencies: Dependencies<Item, Outcome>) {
    this.#dependencies = dependencies;
  }

  add(items: readonly Item[]): Promise<readonly Outcome[]> {
    if (items.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      // Whatever is called in the same turn goes along.
      queueMicrotask(() => void this.#drain());
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#runTogether(this.#take());
    this.#isRunning = false;
  }

  #take(): readonly Call<Item, Outcome>[] {
    let size = 0;
    let count = 0;
    for (const { items } of this.#waiting) {
      if (count > 0 && size + items.length > this.#dependencies.limit) break;
      size += items.length;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #runTogether(calls: readonly Call<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#dependencies.run(calls.flatMap(({ items }) => items));
      let from = 0;
      for (const { items, resolve } of calls) {
        resolve(outcomes.slice(from, from + items.length));
        from += items.length;
      }
    } catch (error) {
      const isAlone = calls.length === 1 || !this.#dependencies.isOfOne(error);
      if (isAlone) for (const { reject } of calls) reject(error);
      else for (const call of calls) await this.#runTogether([call]);
    }
  }
}
