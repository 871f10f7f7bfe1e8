import type { Clock } from './clock.ts';
import type { DueIndex } from './due-index.ts';
import type { Observe } from './engine-event.ts';
import type { Exclusive } from './exclusive.ts';
import type { Generations } from './generation.ts';
import type { TimerStore } from './timer-store.ts';

const PAGE = 5000;
const LOOK_EVERY_MS = 1000;
/** While the index is away, or another node is about to rebuild. */
const LOOK_SOON_MS = 100;

interface Dependencies {
  readonly store: TimerStore;
  readonly index: DueIndex;
  readonly generations: Generations;
  /** The right to rebuild. */
  readonly exclusive: Exclusive;
  readonly clock: Clock;
  readonly observe: Observe;
  /** Called when a rebuild is asked for. */
  readonly wake: () => void;
}

/**
 * Looks every second whether the index has the generation in force, on each node; where it is missing or old, the one
 * with the right to it refills the index from the rows, earliest first, while everything serves.
 */
export class Rebuilder {
  readonly #store: TimerStore;
  readonly #index: DueIndex;
  readonly #generations: Generations;
  readonly #exclusive: Exclusive;
  readonly #clock: Clock;
  readonly #observe: Observe;
  readonly #wake: () => void;
  #isRequested = false;
  #isWhole = false;

  constructor({ store, index, generations, exclusive, clock, observe, wake }: Dependencies) {
    this.#store = store;
    this.#index = index;
    this.#generations = generations;
    this.#exclusive = exclusive;
    this.#clock = clock;
    this.#observe = observe;
    this.#wake = wake;
  }

  /** Whether the index may lack timers. */
  get isNeeded(): boolean {
    return this.#isRequested || !this.#isWhole;
  }

  /** Rebuild, whatever the index says of itself. */
  request(): void {
    this.#isRequested = true;
    this.#wake();
  }

  /** Throws `IndexUnavailable` and what the store throws; then a rebuild is due still. */
  tick = async (signal?: AbortSignal): Promise<number> => {
    if (!this.#index.isAvailable) return LOOK_SOON_MS;
    await this.#look();
    if (!this.isNeeded) return LOOK_EVERY_MS;
    if (!(await this.#exclusive.tryHold())) return LOOK_SOON_MS;
    // Whoever had the right before may have finished just now.
    await this.#look();
    if (!this.isNeeded) return LOOK_EVERY_MS;
    this.#isRequested = false;
    this.#isWhole = false;
    this.#isWhole = await this.#rebuild(signal);
    return this.#isWhole ? LOOK_EVERY_MS : 0;
  };

  async #look(): Promise<void> {
    const { number } = await this.#generations.inForce(this.#index.shards);
    this.#isWhole = await this.#index.isWhole(number);
  }

  async #rebuild(signal: AbortSignal | undefined): Promise<boolean> {
    const startedAtMs = this.#clock.monotonicMs();
    const { number } = await this.#generations.startNext();
    await this.#index.beginRebuild(number);
    let count = 0;
    let page = await this.#store.page(undefined, PAGE);
    for (;;) {
      // The next page is read while this one is put.
      const following = page.next === undefined ? undefined : this.#store.page(page.next, PAGE);
      await Promise.all([this.#index.put(page.entries), following]);
      count += page.entries.length;
      if (signal?.aborted) return false;
      if (following === undefined) break;
      page = await following;
    }
    const isWhole = await this.#index.finishRebuild(number);
    if (isWhole) this.#observe({ type: 'rebuilt', count, tookMs: this.#clock.monotonicMs() - startedAtMs });
    return isWhole;
  }
}
