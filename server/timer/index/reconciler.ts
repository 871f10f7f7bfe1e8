import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { StoreClock } from '../clock/store-clock.ts';
import type { IndexDifferences, Observe } from '../model/engine-event.ts';
import type { PageCursor } from '../model/index-entry.ts';
import type { TimerStore } from '../model/timer-store.ts';
import { type Comparison, compareIndex, compareSome, countsOf, healer, MARGIN_MS, startOf } from './compare-index.ts';
import type { DueIndex } from './due-index.ts';

const EVERY_MS = 2000;
const NEAR_MS = 60_000;
/** Pages per turn: 20,000 rows that are soon due and 5,000 others. So a herd due at one instant takes several turns. */
const NEAR_LOOKS = 4;
const FAR_LOOKS = 1;

/** The entries that were missing, misplaced, or surplus. */
export type Reconciled = IndexDifferences;

interface Dependencies {
  readonly store: Pick<TimerStore, 'page' | 'read'>;
  readonly index: Pick<DueIndex, 'orders'>;
  readonly storeClock: StoreClock;
  readonly observe: Observe;
  /** While the index is away or refilled there is nothing to compare. */
  readonly isIndexWhole: () => boolean;
}

/**
 * Compares rows that are not due with the index, both ways: rows that are due within a minute in each round, the rest
 * in small steps. So a missed put heals before its due time, without a rebuild.
 */
export class Reconciler {
  readonly #on: Dependencies;
  readonly #comparison: Comparison;
  #near: PageCursor | undefined;
  #far: PageCursor | undefined;

  constructor(dependencies: Dependencies) {
    const { store, index, observe } = dependencies;
    this.#on = dependencies;
    this.#comparison = { store, index, heal: healer({ store, index }, observe) };
  }

  /** Compares everything at once, on any process. Throws `IndexUnavailable` and what the store throws. */
  async reconcile(): Promise<Reconciled> {
    await this.#on.storeClock.refresh();
    const tally = { missing: 0, misplaced: 0, ghosts: 0 };
    for await (const { differences } of compareIndex(this.#comparison, this.#fromMs())) {
      const { missing, misplaced, ghosts } = countsOf(differences);
      tally.missing += missing;
      tally.misplaced += misplaced;
      tally.ghosts += ghosts;
    }
    return tally;
  }

  tick = async (): Promise<number> => {
    if (!this.#on.isIndexWhole()) return EVERY_MS;
    const fromMs = this.#fromMs();
    const beforeMs = fromMs + NEAR_MS;
    const isNear = this.#near !== undefined && this.#near.fireAtMs > fromMs;
    this.#near = await this.#compare(isNear ? this.#near : startOf(fromMs), beforeMs, NEAR_LOOKS);
    const isFar = this.#far !== undefined && this.#far.fireAtMs >= beforeMs;
    this.#far = await this.#compare(isFar ? this.#far : startOf(beforeMs), LATEST_MS, FAR_LOOKS);
    return EVERY_MS;
  };

  #fromMs(): number {
    return Math.floor(this.#on.storeClock.nowMs()) + MARGIN_MS;
  }

  /** Returns where the next turn goes on. */
  async #compare(from: PageCursor | undefined, beforeMs: number, looks: number): Promise<PageCursor | undefined> {
    let next = from;
    for (let look = 0; look < looks && next !== undefined; look += 1) {
      next = (await compareSome(this.#comparison, { from: next, beforeMs })).next;
    }
    return next;
  }
}
