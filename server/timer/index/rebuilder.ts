import type { Clock } from '../../runtime/clock.ts';
import type { Observe } from '../model/engine-event.ts';
import type { RowPages } from '../model/timer-store.ts';
import type { DueIndex } from './due-index.ts';
import type { Generations } from './generation.ts';
import type { GenerationWatch } from './generation-watch.ts';

const PAGE = 5000;
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
    return this.#isWanted || !this.#isWhole;
  }

  async #rebuild(signal: AbortSignal | undefined): Promise<boolean> {
    const { store, index, clock, observe } = this.#on;
    const startedAtMs = clock.monotonicMs();
    const number = await this.#startNext();
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
    if (isWhole) observe({ type: 'rebuilt', count, tookMs: clock.monotonicMs() - startedAtMs });
    return isWhole;
  }

  /** Ends the previous generation first: a failure after that leaves no second one in force. */
  async #startNext(): Promise<number> {
    await this.#on.index.marks.retire(this.#on.index.inUse.number);
    const { number } = await this.#on.generations.startNext();
    await this.#on.watch.look();
    return number;
  }
}
