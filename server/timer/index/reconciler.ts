import { LATEST_MS } from '../../../shared/latest-ms.ts';
import type { Exclusive } from '../../runtime/exclusive.ts';
import type { StoreClock } from '../clock/store-clock.ts';
import type { Observe } from '../model/engine-event.ts';
import type { IndexEntry, IndexRemoval } from '../model/index-entry.ts';
import { entryOf } from '../model/index-entry.ts';
import type { PageCursor, TimerStore } from '../model/timer-store.ts';
import type { DueIndex } from './due-index.ts';

const EVERY_MS = 2000;
const NEAR_MS = 60_000;
/** Rows compared at once: what fires meanwhile waits for a page, so a page takes about a millisecond. */
const PAGE = 500;
/** A turn reads so many pages of what is near: a herd due at one instant takes several turns. */
const NEAR_PAGES = 40;
const FAR_PAGES = 10;
/** What is due, or about to be, may be on its way to a worker: the sweeper's business. */
const MARGIN_MS = 1000;

/** What the index lacked, had at another time, and had too much. */
export interface Reconciled {
  readonly missing: number;
  readonly misplaced: number;
  readonly ghosts: number;
}

interface Dependencies {
  readonly store: TimerStore;
  readonly index: Pick<DueIndex, 'orders'>;
  readonly storeClock: StoreClock;
  /** The right to reconcile. */
  readonly exclusive: Exclusive;
  readonly observe: Observe;
  /** While the index is away or refilled there is nothing to compare. */
  readonly isIndexWhole: () => boolean;
}

/**
 * Keeps comparing rows with index, both ways, as far as they are not due: what is due within a minute each time, the
 * rest page by page. So a put that was missed heals before its time, without a rebuild.
 */
export class Reconciler {
  readonly #store: TimerStore;
  readonly #index: Dependencies['index'];
  readonly #storeClock: StoreClock;
  readonly #exclusive: Exclusive;
  readonly #observe: Observe;
  readonly #isIndexWhole: () => boolean;
  #near: PageCursor | undefined;
  #far: PageCursor | undefined;

  constructor({ store, index, storeClock, exclusive, observe, isIndexWhole }: Dependencies) {
    this.#store = store;
    this.#index = index;
    this.#storeClock = storeClock;
    this.#exclusive = exclusive;
    this.#observe = observe;
    this.#isIndexWhole = isIndexWhole;
  }

  /** All of it at once, whoever has the right. Throws `IndexUnavailable` and what the store throws. */
  async reconcile(): Promise<Reconciled> {
    await this.#storeClock.refresh();
    const tally = { missing: 0, misplaced: 0, ghosts: 0 };
    let at: PageCursor | undefined = startOf(Math.floor(this.#storeClock.nowMs()) + MARGIN_MS);
    while (at !== undefined) at = await this.#compare(at, LATEST_MS, tally);
    return tally;
  }

  tick = async (): Promise<number> => {
    if (!this.#isIndexWhole() || !(await this.#exclusive.tryHold())) return EVERY_MS;
    const fromMs = Math.floor(this.#storeClock.nowMs()) + MARGIN_MS;
    const beforeMs = fromMs + NEAR_MS;
    const isNear = this.#near !== undefined && this.#near.fireAtMs > fromMs;
    this.#near = await this.#comparePages(isNear ? this.#near : startOf(fromMs), beforeMs, NEAR_PAGES);
    const isFar = this.#far !== undefined && this.#far.fireAtMs >= beforeMs;
    this.#far = await this.#comparePages(isFar ? this.#far : startOf(beforeMs), LATEST_MS, FAR_PAGES);
    return EVERY_MS;
  };

  /** Answers where the next turn goes on. */
  async #comparePages(from: PageCursor | undefined, beforeMs: number, pages: number): Promise<PageCursor | undefined> {
    let next = from;
    for (let page = 0; page < pages && next !== undefined; page += 1) next = await this.#compare(next, beforeMs);
    return next;
  }

  /** One page of rows, and the entries of the same time. Answers where the next page begins. */
  async #compare(from: PageCursor, beforeMs: number, tally?: Tally): Promise<PageCursor | undefined> {
    const { entries, next } = await this.#store.page(from, PAGE);
    const rows = entries.filter(({ fireAtMs }) => fireAtMs < beforeMs);
    const isLast = next === undefined || rows.length < entries.length;
    const suspects = new Map<string, IndexEntry>();
    const times = await this.#index.orders.fireTimes(rows);
    for (const row of rows) if (times.get(row.timerId) !== row.fireAtMs) suspects.set(row.timerId, row);
    for (const ghost of await this.#unknown(rows, from, isLast ? beforeMs : next.fireAtMs)) {
      suspects.set(ghost.timerId, ghost);
    }
    const all = [...suspects.values()];
    for (let at = 0; at < all.length; at += PAGE) add(await this.#heal(all.slice(at, at + PAGE)), tally);
    return isLast ? undefined : next;
  }

  /**
   * Entries that no row of the page is for. Not those of an instant that lies on several pages, of which this one knows a
   * part only.
   */
  async #unknown(rows: readonly IndexEntry[], from: PageCursor, beforeMs: number): Promise<readonly IndexEntry[]> {
    const fromMs = from.timerId === FIRST_ID ? from.fireAtMs : from.fireAtMs + 1;
    if (fromMs >= beforeMs) return [];
    const known = new Set(rows.map(({ timerId }) => timerId));
    return (await this.#index.orders.between(fromMs, beforeMs, PAGE)).filter(({ timerId }) => !known.has(timerId));
  }

  /** Whatever was written at this very moment has settled by this second look. */
  async #heal(suspects: readonly IndexEntry[]): Promise<Reconciled> {
    const { timers, nowMs } = await this.#store.read(suspects.map(({ timerId }) => timerId));
    const rows = new Map(timers.map((timer) => [timer.id, timer]));
    const times = await this.#index.orders.fireTimes(suspects);
    const counts = { missing: 0, misplaced: 0, ghosts: 0 };
    const put: IndexEntry[] = [];
    const remove: IndexRemoval[] = [];
    for (const suspect of suspects) {
      const [row, fireAtMs] = [rows.get(suspect.timerId), times.get(suspect.timerId)];
      if (row?.state !== 'scheduled') {
        if (fireAtMs === undefined) continue;
        remove.push(suspect);
        counts.ghosts += 1;
      } else if (row.fireAtMs > nowMs + MARGIN_MS && row.fireAtMs !== fireAtMs) {
        put.push(entryOf(row));
        counts[fireAtMs === undefined ? 'missing' : 'misplaced'] += 1;
      }
    }
    if (put.length + remove.length === 0) return counts;
    this.#observe({ type: 'differing', ...counts });
    await this.#index.orders.put(put);
    await this.#index.orders.remove(remove);
    this.#observe({ type: 'reconciled', ...counts });
    return counts;
  }
}

/** Before all others. */
const FIRST_ID = '0';

type Tally = { -readonly [What in keyof Reconciled]: number };

const add = (counts: Reconciled, tally: Tally | undefined): void => {
  if (tally === undefined) return;
  tally.missing += counts.missing;
  tally.misplaced += counts.misplaced;
  tally.ghosts += counts.ghosts;
};

const startOf = (fireAtMs: number): PageCursor => ({ fireAtMs, timerId: FIRST_ID });
