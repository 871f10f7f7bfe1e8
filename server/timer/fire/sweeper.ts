import { type DueIndex, IndexUnavailable } from '../index/due-index.ts';
import { putRows } from '../index/put-rows.ts';
import type { Rebuilder } from '../index/rebuilder.ts';
import type { IndexEntry, PageCursor } from '../model/index-entry.ts';
import type { FiringTools } from './firing-tools.ts';
import type { Intake } from './intake.ts';

const GRACE_MS = 2000;
/** The longest grace, however old the unacked deliveries are: then the sweep finds a lost row. */
const MOST_GRACE_MS = 60_000;
const EVERY_MS = 1000;
/** While the index is away, only sweeps fire timers. */
const EVERY_WITHOUT_INDEX_MS = 100;
/** The shortest time between two fires of the same row: it may still be in flight. */
const FIRED_EVERY_MS = 1000;
/** Rows read in a turn. Paused and unknown kinds in front of the others cost only more turns. */
const PAGE = 5000;
const BETWEEN_PAGES_MS = 50;
/** An entry that is at most this far in the future is soon enough. */
const SOON_MS = 1000;
/** More remembered rows than one turn finds. A forgotten row is put and counted once more. */
const MOST_ROWS = 20_000;
const COUNTED_EVERY_MS = 60_000;
const NEVER = new AbortController().signal;

interface Dependencies {
  readonly tools: FiringTools;
  readonly index: Pick<DueIndex, 'isAvailable' | 'inUse' | 'orders' | 'handOffs' | 'queue'>;
  readonly intake: Pick<Intake, 'accept'>;
  readonly rebuilder: Pick<Rebuilder, 'isNeeded'>;
  /** The most timers in a batch. */
  readonly limit: number;
}

/**
 * The safety net: finds overdue rows whatever the index says. While the index is whole, one process of a database, the
 * leader, puts the rows into the index, where any node with the kind gets them. Otherwise each process fires its own
 * kinds here.
 */
export class Sweeper {
  readonly #on: Dependencies;
  readonly #swept = new SweptRows();
  /** Where the next turn goes on; undefined: at the row that is overdue the longest. */
  #at: PageCursor | undefined;
  /** When the index was last known to be incomplete, by the monotonic clock. */
  #awayAtMs: number;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
    this.#awayAtMs = dependencies.tools.clock.monotonicMs();
  }

  tick = async (signal: AbortSignal = NEVER): Promise<number> => {
    await this.refresh();
    if (!this.#isIndexAway) {
      const at = this.#at;
      try {
        return await this.#putOverdue();
      } catch (error) {
        // The index seems to be there, but a command of it fails: then the rows are fired here.
        if (!(error instanceof IndexUnavailable)) throw error;
        this.#at = at;
      }
    }
    await this.#fireOverdue(Math.floor(this.#on.tools.storeClock.nowMs()), signal);
    return this.#at === undefined ? EVERY_WITHOUT_INDEX_MS : 0;
  };

  /** The turn of a process that does not lead. It leaves what both can fire to the leader, which may lack its kinds. */
  besideLeader = async (signal: AbortSignal = NEVER): Promise<number> => {
    if (!this.#isIndexAway) {
      this.#at = undefined;
      return EVERY_MS;
    }
    await this.#fireOverdue(Math.floor(this.#on.tools.storeClock.nowMs()) - GRACE_MS, signal);
    return this.#at === undefined ? EVERY_MS : BETWEEN_PAGES_MS;
  };

  /** Runs in every process: reads the paused kinds and the time, and notes since when the index is complete. */
  refresh = async (): Promise<number> => {
    const { store, kinds, storeClock, clock } = this.#on.tools;
    await storeClock.refresh();
    kinds.setPaused(await store.pausedKinds());
    if (this.#isIndexAway) this.#awayAtMs = clock.monotonicMs();
    return EVERY_MS;
  };

  get #isIndexAway(): boolean {
    return !this.#on.index.isAvailable || this.#on.rebuilder.isNeeded;
  }

  /** Accepts all rows of this process's kinds that were overdue at `beforeMs`; returns how many were not in flight here. */
  async sweep(beforeMs: number): Promise<number> {
    let count = 0;
    this.#at = undefined;
    do {
      const rows = await this.#nextPage(this.#on.tools.kinds.firing, Math.floor(beforeMs));
      count += await this.#fire(rows, NEVER);
    } while (this.#at !== undefined);
    return count;
  }

  /** Fires only this process's kinds: others would only be requeued here. */
  async #fireOverdue(beforeMs: number, signal: AbortSignal): Promise<void> {
    const { kinds, clock } = this.#on.tools;
    const rows = await this.#nextPage(kinds.firing, beforeMs);
    const triedBeforeMs = clock.monotonicMs() - FIRED_EVERY_MS;
    await this.#fire(
      rows.filter((row) => this.#swept.sweptAtMs(row) <= triedBeforeMs),
      signal,
    );
  }

  async #fire(rows: readonly IndexEntry[], signal: AbortSignal): Promise<number> {
    this.#count(rows);
    let count = 0;
    for (let from = 0; from < rows.length && !signal.aborted; from += this.#on.limit) {
      const accepted = await this.#on.intake.accept(rows.slice(from, from + this.#on.limit));
      count += accepted.count;
    }
    return count;
  }

  async #putOverdue(): Promise<number> {
    const { storeClock, clock } = this.#on.tools;
    const ages = await this.#on.index.queue.oldestUnackedMs();
    const graces = ages.map((ageMs) => Math.min(GRACE_MS + ageMs, MOST_GRACE_MS));
    const leastMs = Math.min(...graces);
    // Rows that were overdue when the index became whole were handed off only then.
    if (clock.monotonicMs() - this.#awayAtMs < leastMs) return EVERY_MS;
    const nowMs = Math.floor(storeClock.nowMs());
    const rows = await this.#nextPage(await this.#knownKinds(), nowMs - leastMs);
    const graceOf = ({ owner }: IndexEntry) => graces[this.#on.index.inUse.shardOf(owner)] ?? MOST_GRACE_MS;
    await this.#putOrHandOff(
      rows.filter((row) => this.#overdueMs(row, nowMs) >= graceOf(row)),
      nowMs,
    );
    return this.#at === undefined ? EVERY_MS : BETWEEN_PAGES_MS;
  }

  async #nextPage(kinds: readonly string[], beforeMs: number): Promise<readonly IndexEntry[]> {
    const page = await this.#on.tools.store.overdue({ kinds, after: this.#at, beforeMs, limit: PAGE });
    this.#at = page.next;
    return page.entries;
  }

  /** Kinds that any process has registered, without the paused ones. */
  async #knownKinds(): Promise<readonly string[]> {
    const { store, kinds } = this.#on.tools;
    return [...(await store.registeredKinds()).keys()].filter((kind) => !kinds.isPaused(kind));
  }

  /** How long the index has had time to hand the row off: until then it may be on its way to a worker. */
  #overdueMs(row: IndexEntry, nowMs: number): number {
    const monotonicMs = this.#on.tools.clock.monotonicMs();
    const hadItAtMs = Math.max(this.#awayAtMs, this.#swept.sweptAtMs(row));
    return Math.min(nowMs - row.fireAtMs, monotonicMs - hadItAtMs);
  }

  /** Puts entries that are missing or too late; hands off due entries that no dispatcher took. */
  async #putOrHandOff(rows: readonly IndexEntry[], nowMs: number): Promise<void> {
    if (rows.length === 0) return;
    const times = await this.#on.index.orders.fireTimes(rows);
    const timeOf = ({ timerId }: IndexEntry) => times.get(timerId) ?? Number.POSITIVE_INFINITY;
    const lost = rows.filter((row) => timeOf(row) > nowMs + SOON_MS);
    const waiting = rows.filter((row) => timeOf(row) <= nowMs);
    await putRows(
      { store: this.#on.tools.store, index: this.#on.index },
      lost.map((row) => ({ ...row, fireAtMs: nowMs })),
    );
    const shards = new Set(waiting.map(({ owner }) => this.#on.index.inUse.shardOf(owner)));
    for (const shard of shards) await this.#on.index.handOffs.handOff(shard, nowMs, this.#on.limit);
    this.#count([...lost, ...waiting]);
  }

  #count(rows: readonly IndexEntry[]): void {
    const count = this.#swept.note(rows, this.#on.tools.clock.monotonicMs());
    if (count > 0) this.#on.tools.observe({ type: 'swept', count });
  }
}

interface Swept {
  readonly revision: number;
  readonly countedAtMs: number;
  readonly sweptAtMs: number;
}

/** Rows that the sweeper found recently: each counts at most once a minute, however often it is found. */
export class SweptRows {
  readonly #rows = new Map<string, Swept>();

  /** Notes handled rows; returns how many of them count. Times are of the monotonic clock. */
  note(rows: readonly IndexEntry[], nowMs: number): number {
    let news = 0;
    for (const { timerId, revision } of rows) {
      const known = this.#rows.get(timerId);
      const isNews = known?.revision !== revision || nowMs - known.countedAtMs >= COUNTED_EVERY_MS;
      if (isNews) news += 1;
      this.#rows.delete(timerId);
      const countedAtMs = isNews ? nowMs : known.countedAtMs;
      this.#rows.set(timerId, { revision, countedAtMs, sweptAtMs: nowMs });
    }
    this.#forgetOldest();
    return news;
  }

  /** When the row was last handled at this revision. */
  sweptAtMs({ timerId, revision }: IndexEntry): number {
    const known = this.#rows.get(timerId);
    return known?.revision === revision ? known.sweptAtMs : Number.NEGATIVE_INFINITY;
  }

  #forgetOldest(): void {
    for (const timerId of this.#rows.keys()) {
      if (this.#rows.size <= MOST_ROWS) return;
      this.#rows.delete(timerId);
    }
  }
}
