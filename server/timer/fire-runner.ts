import { entryAfterLock } from './after-lock.ts';
import { entryOf, type IndexEntry } from './due-index.ts';
import { failOwn, retrySoon } from './failed-attempt.ts';
import type { FiringTools } from './firing-tools.ts';
import type { Timer } from './timer.ts';
import type { FireKind } from './timer-kind.ts';

const MOST_SUSPECTS = 10_000;

/** Fires own kinds in Postgres: lock, check, fire, save, commit. A batch that fails is cut in halves until the poison is alone. */
export class FireRunner {
  readonly #tools: FiringTools;
  /** Timers of batches that failed with the world, as with a time-out: one of them may be the reason, so each goes alone. */
  readonly #suspects = new Set<string>();

  constructor(tools: FiringTools) {
    this.#tools = tools;
  }

  /** Whether it has to go alone. */
  isSuspect(timerId: string): boolean {
    return this.#suspects.has(timerId);
  }

  /** Answers the entries of those that come again. */
  run(kind: FireKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    for (const { id } of timers) this.#suspects.delete(id);
    return this.#runBatch(kind, timers);
  }

  async #runBatch(kind: FireKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    const [first] = timers;
    if (first === undefined) return [];
    try {
      return await this.#transact(kind, timers);
    } catch (error) {
      if (this.#tools.store.isWorldFault(error)) return this.#suspect(timers, error);
      if (timers.length === 1) return failOwn(this.#tools, first, error, kind.retryDelaysMs);
      const middle = Math.ceil(timers.length / 2);
      const earlier = await this.#runBatch(kind, timers.slice(0, middle));
      return [...earlier, ...(await this.#runBatch(kind, timers.slice(middle)))];
    }
  }

  async #transact(kind: FireKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    const { store, observe } = this.#tools;
    const { timers: locked, nowMs } = await store.fire(timers, async (tx, { timers: locked, nowMs }) => {
      const due = locked.filter(({ fireAtMs }) => fireAtMs <= nowMs);
      if (due.length === 0) return [];
      const results = await kind.fire(due, tx, nowMs);
      return due.map(({ id: timerId, revision, fireAtMs, attempt }) => ({
        ...{ timerId, revision, fireAtMs, attempt },
        state: 'completed',
        result: results?.get(timerId),
      }));
    });
    const fired = locked.filter(({ fireAtMs }) => fireAtMs <= nowMs);
    if (fired.length > 0) observe({ type: 'fired', kind: kind.kind, timers: fired, nowMs });
    return this.#comeAgain(timers, locked, nowMs);
  }

  /** Not due by the time under the lock, or locked by another: whoever it is may roll back, so look again soon. */
  #comeAgain(timers: readonly Timer[], locked: readonly Timer[], nowMs: number): readonly IndexEntry[] {
    const early = locked.filter(({ fireAtMs }) => fireAtMs > nowMs);
    const obtained = new Set(locked.map(({ id }) => id));
    const others = timers.filter(({ id }) => !obtained.has(id));
    if (others.length > 0) this.#tools.observe({ type: 'put-back', reason: 'locked', count: others.length });
    return [...early.map(entryOf), ...others.map((timer) => entryAfterLock(timer, nowMs))];
  }

  #suspect(timers: readonly Timer[], error: unknown): readonly IndexEntry[] {
    if (timers.length > 1 && this.#suspects.size < MOST_SUSPECTS) for (const { id } of timers) this.#suspects.add(id);
    return retrySoon(this.#tools, timers, error);
  }
}
