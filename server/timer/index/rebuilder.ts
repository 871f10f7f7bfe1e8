import type { Clock } from '../../runtime/clock.ts';
import type { Observe } from '../model/engine-event.ts';
import type { RowPages } from '../model/timer-store.ts';
import type { DueIndex } from './due-index.ts';
import type { Generations } from './generation.ts';
import type { GenerationWatch } from './generation-watch.ts';

const PAGE = 5000;
const LOOK_EVERY_MS = 1000;
/** While the index is away, or another node is about to rebuild. */
const LOOK_SOON_MS = 100;

interface Dependencies {
  readonly store: RowPages;
  readonly index: Pick<DueIndex, 'isAvailable' | 'inUse' | 'orders' | 'marks'>;
  readonly generations: Generations;
  readonly watch: GenerationWatch;
  /** Whether this process is the one to rebuild. */
  readonly leads: () => Promise<boolean>;
  readonly clock: Clock;
  readonly observe: Observe;
}

/**
 * Looks every second whether the generation in force is whole, on each node; where it is not, or another one is
 * wanted, the process that leads starts the next one and refills it from the rows, earliest first, while
 * everything serves.
 */
export class Rebuilder {
  readonly #store: RowPages;
  readonly #index: Dependencies['index'];
  readonly #generations: Generations;
  readonly #watch: GenerationWatch;
  readonly #leads: Dependencies['leads'];
  readonly #clock: Clock;
  readonly #observe: Observe;
  #isWhole = false;
  #isWanted = false;

  constructor({ store, index, generations, watch, leads, clock, observe }: Dependencies) {
    this.#store = store;
    this.#index = index;
    this.#generations = generations;
    this.#watch = watch;
    this.#leads = leads;
    this.#clock = clock;
    this.#observe = observe;
  }

  /** Whether the index may lack timers. */
  get isNeeded(): boolean {
    return !this.#isWhole;
  }

  /** Throws `IndexUnavailable` and what the store throws; then a rebuild is due still. */
  tick = async (signal?: AbortSignal): Promise<number> => {
    if (!this.#index.isAvailable) return LOOK_SOON_MS;
    if (!(await this.#look())) return LOOK_EVERY_MS;
    if (!(await this.#leads())) return LOOK_SOON_MS;
    // The process that led before may have finished just now.
    if (!(await this.#look())) return LOOK_EVERY_MS;
    this.#isWhole = false;
    this.#isWhole = await this.#rebuild(signal);
    return this.#isWhole ? LOOK_EVERY_MS : 0;
  };

  /** Whether there is something to do. */
  async #look(): Promise<boolean> {
    const { pulse, wantedShards } = await this.#watch.look();
    this.#isWanted = wantedShards !== undefined;
    this.#isWhole = await this.#index.marks.isWhole(pulse);
    return this.#isWanted || !this.#isWhole;
  }

  async #rebuild(signal: AbortSignal | undefined): Promise<boolean> {
    const startedAtMs = this.#clock.monotonicMs();
    const number = await this.#startNext();
    // Not before this is a row read: what the generation before did not take any more was committed by then.
    if (!(await this.#index.marks.begin(number))) return false;
    let count = 0;
    let page = await this.#store.page(undefined, PAGE);
    for (;;) {
      // The next page is read while this one is put.
      const following = page.next === undefined ? undefined : this.#store.page(page.next, PAGE);
      const [isTaken] = await Promise.all([this.#index.orders.put(page.entries), following]);
      count += page.entries.length;
      if (!isTaken || signal?.aborted) return false;
      if (following === undefined) break;
      page = await following;
    }
    const isWhole = await this.#index.marks.finish(number);
    if (isWhole) this.#observe({ type: 'rebuilt', count, tookMs: this.#clock.monotonicMs() - startedAtMs });
    return isWhole;
  }

  /** First the end of the one before, so that a failure there does not leave one more behind. */
  async #startNext(): Promise<number> {
    await this.#index.marks.retire(this.#index.inUse.number);
    const { number } = await this.#generations.startNext();
    await this.#watch.look();
    return number;
  }
}
