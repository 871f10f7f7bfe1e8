import type { Clock } from '../../runtime/clock.ts';
import type { Observe } from '../model/engine-event.ts';
import type { RowPages } from '../model/timer-store.ts';
import type { DueIndex } from './due-index.ts';
import type { Generation, Generations } from './generation.ts';
import type { GenerationWatch } from './generation-watch.ts';

const PAGE = 5000;
/** About so many entries are deleted in one call. */
const DROPPED_AT_ONCE = 5000;
const POLL_EVERY_MS = 1000;
/** While the index is away, or another node is about to rebuild. */
const POLL_SOON_MS = 100;

interface Dependencies {
  readonly store: RowPages;
  readonly index: Pick<DueIndex, 'isAvailable' | 'inUse' | 'orders' | 'marks'>;
  readonly generations: Generations;
  readonly watch: GenerationWatch;
  /** Whether this process is the leader. */
  readonly leads: () => Promise<boolean>;
  readonly clock: Clock;
  readonly observe: Observe;
}

/**
 * Checks every second, on each node, whether the generation in force is whole. If it is not, or another one is wanted,
 * the leader starts the next one and refills it from the rows, earliest first. All processes serve meanwhile.
 */
export class Rebuilder {
  readonly #on: Dependencies;
  #isWhole = false;
  #isWanted = false;
  /** The last refill did not end: its entries may fill a Redis. */
  #hasBrokenOff = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Whether the index may lack timers. */
  get isNeeded(): boolean {
    return !this.#isWhole;
  }

  /** Throws `IndexUnavailable` and what the store throws; then the rebuild is tried again. */
  tick = async (signal?: AbortSignal): Promise<number> => {
    if (!this.#on.index.isAvailable) return POLL_SOON_MS;
    if (!(await this.#look())) return POLL_EVERY_MS;
    if (!(await this.#on.leads())) return POLL_SOON_MS;
    // The previous leader may have finished just now.
    if (!(await this.#look())) return POLL_EVERY_MS;
    this.#isWhole = false;
    this.#isWhole = await this.#rebuild(signal);
    return this.#isWhole ? POLL_EVERY_MS : 0;
  };

  /** Whether a rebuild is needed. */
  async #look(): Promise<boolean> {
    const { pulse, wantedShards } = await this.#on.watch.look();
    this.#isWanted = wantedShards !== undefined;
    this.#isWhole = await this.#on.index.marks.isWhole(pulse);
    if (this.#isWhole) this.#hasBrokenOff = false;
    return this.#isWanted || !this.#isWhole;
  }

  async #rebuild(signal: AbortSignal | undefined): Promise<boolean> {
    const { store, index, clock, observe } = this.#on;
    const startedAtMs = clock.monotonicMs();
    const number = await this.#startNext(signal);
    if (number === undefined) return false;
    this.#hasBrokenOff = true;
    // Reads rows only after this: updates that the last generation refused were committed before.
    if (!(await index.marks.begin(number))) return false;
    let count = 0;
    let page = await store.page(undefined, PAGE);
    for (;;) {
      // The next page is read while this one is put.
      const following = page.next === undefined ? undefined : store.page(page.next, PAGE);
      const [isTaken] = await Promise.all([index.orders.put(page.entries), following]);
      count += page.entries.length;
      if (!isTaken || signal?.aborted) return false;
      if (following === undefined) break;
      page = await following;
    }
    const isWhole = await index.marks.finish(number);
    this.#hasBrokenOff = !isWhole;
    if (isWhole) observe({ type: 'rebuilt', count, tookMs: clock.monotonicMs() - startedAtMs });
    return isWhole;
  }

  /** Ends the previous generation first: a failure after that leaves no second one in force. Undefined: it may not begin. */
  async #startNext(signal: AbortSignal | undefined): Promise<number | undefined> {
    const { index, generations, watch, leads } = this.#on;
    const { number: last, shards } = index.inUse;
    await index.marks.retire(last);
    if (this.#hasBrokenOff) {
      await this.#drop([...(await generations.past()), { number: last, shards }], signal);
      // It may have taken seconds.
      if (signal?.aborted || index.inUse.number !== last || !(await leads())) return undefined;
    }
    const { number } = await generations.startNext();
    await watch.look();
    return number;
  }

  /** Deletes all entries of ended generations. The `Dropper` alone is slower than refills that break off one after another. */
  async #drop(ended: readonly Generation[], signal: AbortSignal | undefined): Promise<void> {
    const { marks } = this.#on.index;
    for (const one of ended) while (!signal?.aborted && (await marks.drop(one, DROPPED_AT_ONCE)) > 0);
  }
}
