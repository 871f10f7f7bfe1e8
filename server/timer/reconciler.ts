import type { DueIndex, IndexEntry, IndexRemoval } from './due-index.ts';
import { entryOf } from './due-index.ts';
import type { Observe } from './engine-event.ts';
import type { Exclusive } from './exclusive.ts';
import type { StoreClock } from './store-clock.ts';
import type { PageCursor, TimerStore } from './timer-store.ts';

const EVERY_MS = 2000;
const NEAR_MS = 60_000;
const PAGE = 5000;
/** What is due, or about to be, may be on its way to a worker: the sweeper's business. */
const MARGIN_MS = 1000;
const END_MS = 2 ** 42;

/** What the index lacked, had at another time, and had too much. */
export interface Reconciled {
  readonly missing: number;
  readonly misplaced: number;
  readonly ghosts: number;
}

interface Dependencies {
  readonly store: TimerStore;
  readonly index: DueIndex;
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
  readonly #index: DueIndex;
  readonly #storeClock: StoreClock;
  readonly #exclusive: Exclusive;
  readonly #observe: Observe;
  readonly #isIndexWhole: () => boolean;
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
    while (at !== undefined) at = await this.#compare(at, END_MS, tally);
    return tally;
  }

  tick = async (): Promise<number> => {
    if (!this.#isIndexWhole() || !(await this.#exclusive.tryHold())) return EVERY_MS;
    const fromMs = Math.floor(this.#storeClock.nowMs()) + MARGIN_MS;
    const beforeMs = fromMs + NEAR_MS;
    for (let at: PageCursor | undefined = startOf(fromMs); at !== undefined; ) at = await this.#compare(at, beforeMs);
    const isPast = this.#far === undefined || this.#far.fireAtMs < beforeMs;
    this.#far = await this.#compare(isPast ? startOf(beforeMs) : this.#far, END_MS);
    return EVERY_MS;
  };

  /** One page of rows and the entries of the same time. Answers where the next page begins. */
  async #compare(from: PageCursor = startOf(0), beforeMs: number, tally?: Tally): Promise<PageCursor | undefined> {
    const { entries, next } = await this.#store.page(from, PAGE);
    const rows = entries.filter(({ fireAtMs }) => fireAtMs < beforeMs);
    const isLast = next === undefined || rows.length < entries.length;
    const toMs = isLast ? beforeMs : next.fireAtMs + 1;
    const look = () => this.#index.between(from.fireAtMs, toMs, PAGE);
    const suspects = differing(rows, await look());
    // Whatever was written at this very moment has settled by the second look.
    if (suspects.size > 0) add(await this.#heal(suspects, look), tally);
    return isLast ? undefined : next;
  }

  async #heal(suspects: ReadonlySet<string>, look: () => Promise<readonly IndexEntry[]>): Promise<Reconciled> {
    const { timers, nowMs } = await this.#store.read([...suspects]);
    const rows = new Map(timers.map((timer) => [timer.id, timer]));
    const present = new Map((await look()).map((entry) => [entry.timerId, entry]));
    const counts = { missing: 0, misplaced: 0, ghosts: 0 };
    const put: IndexEntry[] = [];
    const remove: IndexRemoval[] = [];
    for (const id of suspects) {
      const [row, entry] = [rows.get(id), present.get(id)];
      if (row?.state !== 'scheduled') {
        if (entry === undefined) continue;
        remove.push(entry);
        counts.ghosts += 1;
      } else if (row.fireAtMs > nowMs + MARGIN_MS && row.fireAtMs !== entry?.fireAtMs) {
        put.push(entryOf(row));
        counts[entry === undefined ? 'missing' : 'misplaced'] += 1;
      }
    }
    if (put.length + remove.length === 0) return counts;
    this.#observe({ type: 'differing', ...counts });
    await this.#index.put(put);
    await this.#index.remove(remove);
    this.#observe({ type: 'reconciled', ...counts });
    return counts;
  }
}

type Tally = { -readonly [What in keyof Reconciled]: number };

const add = (counts: Reconciled, tally: Tally | undefined): void => {
  if (tally === undefined) return;
  tally.missing += counts.missing;
  tally.misplaced += counts.misplaced;
  tally.ghosts += counts.ghosts;
};

const startOf = (fireAtMs: number): PageCursor => ({ fireAtMs, timerId: '0' });

/** The timers that one side has and the other has not, or has at another time. */
const differing = (rows: readonly IndexEntry[], entries: readonly IndexEntry[]): ReadonlySet<string> => {
  const times = new Map(entries.map(({ timerId, fireAtMs }) => [timerId, fireAtMs]));
  const differs = new Set<string>();
  for (const { timerId, fireAtMs } of rows) {
    if (times.get(timerId) !== fireAtMs) differs.add(timerId);
    times.delete(timerId);
  }
  for (const timerId of times.keys()) differs.add(timerId);
  return differs;
};
