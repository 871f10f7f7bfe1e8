import type { Clock } from './clock.ts';

interface Call<Item, Outcome> {
  readonly items: readonly Item[];
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: unknown): void;
}

interface Batch<Item, Outcome> {
  readonly calls: readonly Call<Item, Outcome>[];
  /** The batch waits for another transaction, so other batches need not wait for it. */
  isSlow: boolean;
}

interface Dependencies<Item, Outcome> {
  /**
   * Outcomes in the order of the items. If it throws, nothing was done. Undefined: nothing was done for this item, which
   * has to run alone.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly (Outcome | undefined)[]>;
  /** The subject of an item. Of two calls with the same name, the second begins after the first has ended. */
  readonly nameOf: (item: Item) => string;
  /** Whether one call may have caused an error, so that the others are retried without it. */
  readonly isOfOne: (error: unknown) => boolean;
  /** The most items in a batch; a single call may have more. */
  readonly limit: number;
  readonly after: Clock['after'];
}

/** So many items pay for a second batch: a batch costs about as much as twenty rows. */
const WORTH_A_BATCH = 64;
const AT_ONCE = 2;
const SLOW_MS = 25;
const AT_ONCE_WITH_SLOW = 4;

/**
 * Runs concurrent calls together. While one batch runs, the next one collects, since few large batches cost far less
 * than many small ones. A single call starts at once. A second batch runs at the same time if many calls wait; more run
 * if some are slow, for example because of a lock. Calls with the same name keep their order.
 */
export class Coalescer<Item, Outcome> {
  readonly #on: Dependencies<Item, Outcome>;
  #waiting: Call<Item, Outcome>[] = [];
  #waitingItems = 0;
  #isLooking = false;
  readonly #running = new Set<Batch<Item, Outcome>>();

  constructor(dependencies: Dependencies<Item, Outcome>) {
    this.#on = dependencies;
  }

  add(items: readonly Item[]): Promise<readonly Outcome[]> {
    if (items.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      this.#waitingItems += items.length;
      if (this.#isLooking || !this.#mayBegin()) return;
      this.#isLooking = true;
      // Includes all calls of the same turn.
      queueMicrotask(() => {
        this.#isLooking = false;
        this.#begin();
      });
    });
  }

  #mayBegin(): boolean {
    if (this.#waitingItems === 0) return false;
    let quick = 0;
    for (const { isSlow } of this.#running) if (!isSlow) quick += 1;
    if (quick === 0) return this.#running.size < AT_ONCE_WITH_SLOW;
    return this.#running.size < AT_ONCE && this.#waitingItems >= WORTH_A_BATCH;
  }

  #begin(): void {
    while (this.#mayBegin()) {
      const calls = this.#nextBatch();
      if (calls.length === 0) return;
      void this.#run({ calls, isSlow: false });
    }
  }

  async #run(batch: Batch<Item, Outcome>): Promise<void> {
    this.#running.add(batch);
    const cancel = this.#on.after(SLOW_MS, () => {
      batch.isSlow = true;
      this.#begin();
    });
    await this.#runTogether(batch.calls);
    cancel();
    this.#running.delete(batch);
    this.#begin();
  }

  /** The first waiting calls, without those that share a name with a running batch or with a skipped call. */
  #nextBatch(): readonly Call<Item, Outcome>[] {
    const busy = this.#namesInRunning();
    const taken: Call<Item, Outcome>[] = [];
    const left: Call<Item, Outcome>[] = [];
    let size = 0;
    let isFull = false;
    for (const call of this.#waiting) {
      isFull ||= taken.length > 0 && size + call.items.length > this.#on.limit;
      if (isFull || this.#isAbout(call, busy)) {
        left.push(call);
        continue;
      }
      taken.push(call);
      size += call.items.length;
    }
    this.#waiting = left;
    this.#waitingItems -= size;
    return taken;
  }

  #namesInRunning(): Set<string> {
    const names = new Set<string>();
    for (const { calls } of this.#running) for (const call of calls) this.#addNames(call, names);
    return names;
  }

  /** The names of a skipped call become busy too: no later call may overtake it. */
  #isAbout(call: Call<Item, Outcome>, busy: Set<string>): boolean {
    if (busy.size === 0 || !call.items.some((item) => busy.has(this.#on.nameOf(item)))) return false;
    this.#addNames(call, busy);
    return true;
  }

  #addNames({ items }: Call<Item, Outcome>, names: Set<string>): void {
    for (const item of items) names.add(this.#on.nameOf(item));
  }

  async #runTogether(calls: readonly Call<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#on.run(calls.flatMap(({ items }) => items));
      let from = 0;
      const unfinished: (() => Promise<void>)[] = [];
      for (const call of calls) {
        const own = outcomes.slice(from, from + call.items.length);
        from += call.items.length;
        const done = own.filter((outcome) => outcome !== undefined);
        if (done.length === own.length) call.resolve(done);
        else unfinished.push(() => this.#finish(call, own));
      }
      for (const finish of unfinished) await finish();
    } catch (error) {
      const isAlone = calls.length === 1 || !this.#on.isOfOne(error);
      if (isAlone) for (const { reject } of calls) reject(error);
      else for (const call of calls) await this.#runTogether([call]);
    }
  }

  /** Runs the items without an outcome, each alone: their error fails this call only. */
  async #finish(
    { items, resolve, reject }: Call<Item, Outcome>,
    outcomes: readonly (Outcome | undefined)[],
  ): Promise<void> {
    try {
      const all: Outcome[] = [];
      for (const [at, item] of items.entries()) {
        const [outcome] = outcomes[at] === undefined ? await this.#on.run([item]) : [outcomes[at]];
        if (outcome !== undefined) all.push(outcome);
      }
      resolve(all);
    } catch (error) {
      reject(error);
    }
  }
}
