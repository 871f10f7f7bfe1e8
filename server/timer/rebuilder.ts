import type { Clock } from './clock.ts';
import type { DueIndex } from './due-index.ts';
import type { Observe } from './engine-event.ts';
import type { TimerStore } from './timer-store.ts';

const PAGE = 5000;
const UNTIL_WOKEN_MS = 3_600_000;

interface Dependencies {
  readonly store: TimerStore;
  readonly index: DueIndex;
  readonly clock: Clock;
  readonly observe: Observe;
  /** Called when a rebuild is asked for. */
  readonly wake: () => void;
}

/** Refills the index from the rows, earliest first, while everything serves. */
export class Rebuilder {
  readonly #store: TimerStore;
  readonly #index: DueIndex;
  readonly #clock: Clock;
  readonly #observe: Observe;
  readonly #wake: () => void;
  #isRequested = false;
  #isRunning = false;

  constructor({ store, index, clock, observe, wake }: Dependencies) {
    this.#store = store;
    this.#index = index;
    this.#clock = clock;
    this.#observe = observe;
    this.#wake = wake;
  }

  /** Whether the index may lack timers. */
  get isNeeded(): boolean {
    return this.#isRequested || this.#isRunning;
  }

  /** The index lacks everything or was lost: rebuild. One that runs is what was asked for, if it began anew. */
  requestUnlessRunning(): void {
    if (!this.#isRunning) this.request();
  }

  /** Some entry was missed: rebuild, after the one that runs (its page may have been read before). */
  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.#wake();
  }

  /** One rebuild, if it is asked for and possible. Throws `IndexUnavailable` and what the store throws; then it is due still. */
  tick = async (signal?: AbortSignal): Promise<number> => {
    if (!this.#isRequested) return UNTIL_WOKEN_MS;
    if (!this.#index.isAvailable) return 100;
    this.#isRequested = false;
    this.#isRunning = true;
    let isDone = false;
    try {
      isDone = await this.#rebuild(signal);
    } finally {
      this.#isRunning = false;
      this.#isRequested ||= !isDone;
    }
    return 0;
  };

  async #rebuild(signal: AbortSignal | undefined): Promise<boolean> {
    const startedAtMs = this.#clock.monotonicMs();
    const generation = await this.#index.beginRebuild();
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
    const isWhole = await this.#index.finishRebuild(generation);
    if (isWhole) this.#observe({ type: 'rebuilt', count, tookMs: this.#clock.monotonicMs() - startedAtMs });
    return isWhole;
  }
}
