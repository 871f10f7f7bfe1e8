import { callGame } from '../../../../shared/game-code.ts';
import type { IndexEntry } from '../../model/index-entry.ts';
import type { Timer } from '../../model/timer.ts';
import type { DerivedKind, Unsettled } from '../../model/timer-kind.ts';
import { failDerived, retrySoon } from '../attempt/failed-attempt.ts';
import type { FiringTools } from '../attempt/firing-tools.ts';
import { retryAfterLock } from '../attempt/retry-after-lock.ts';

/**
 * Fires derived kinds: looks at the owners, whose own path moves the rows or deletes them. An owner that is locked or fails holds
 * up nobody else.
 */
export class DerivedRunner {
  readonly #tools: FiringTools;

  constructor(tools: FiringTools) {
    this.#tools = tools;
  }

  /** Returns the entries of those that come again. */
  async run(kind: DerivedKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    const byOwner = Map.groupBy(timers, ({ owner }) => owner);
    const { store } = this.#tools;
    const unsettled = await this.#settle(kind, [...byOwner.keys()]);
    const timersOf = (some: readonly Unsettled[]): readonly Timer[] =>
      some.flatMap(({ owner }) => byOwner.get(owner) ?? []);
    const locked = unsettled.filter(({ isLocked }) => isLocked);
    const away = unsettled.filter(({ isLocked, error }) => !isLocked && store.isWorldFault(error));
    const failed = unsettled.filter((one) => !locked.includes(one) && !away.includes(one));
    const entries = [...this.#locked(timersOf(locked))];
    if (away.length > 0) entries.push(...retrySoon(this.#tools, timersOf(away), away[0]?.error));
    for (const one of failed) entries.push(...(await this.#fail(timersOf([one]), one.error)));
    for (const { owner } of unsettled) byOwner.delete(owner);
    return [...entries, ...(await this.#failUntouched(kind, [...byOwner.values()].flat()))];
  }

  async #settle(kind: DerivedKind, owners: readonly string[]): Promise<readonly Unsettled[]> {
    try {
      return await callGame(`settle of kind "${kind.kind}"`, async () =>
        [...(await kind.settle(owners))].map(({ owner, error, isLocked }) => ({ owner, error, isLocked })),
      );
    } catch (error) {
      const isOfAll = owners.length === 1 || this.#tools.store.isWorldFault(error);
      if (isOfAll) return owners.map((owner) => ({ owner, error, isLocked: false }));
      const middle = Math.ceil(owners.length / 2);
      const earlier = await this.#settle(kind, owners.slice(0, middle));
      return [...earlier, ...(await this.#settle(kind, owners.slice(middle)))];
    }
  }

  /** In the index alone, and uncounted: the row is due still, so that any node may take it. */
  #locked(timers: readonly Timer[]): readonly IndexEntry[] {
    if (timers.length === 0) return [];
    this.#tools.observe({ type: 'put-back', reason: 'locked', count: timers.length });
    const nowMs = this.#tools.storeClock.nowMs();
    return timers.map((timer) => retryAfterLock(timer, nowMs));
  }

  /** A row that its owner's look did not change would be due for ever: it is stuck as well. */
  async #failUntouched(kind: DerivedKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    const { store, observe } = this.#tools;
    if (timers.length === 0) return [];
    const { timers: untouched, nowMs } = await store.readUnchanged(timers);
    const left = new Set(untouched.map(({ id }) => id));
    observe({ type: 'fired', kind: kind.kind, timers: timers.filter(({ id }) => !left.has(id)), nowMs });
    return this.#fail(untouched, new Error('still due after its owner was settled'));
  }

  async #fail(timers: readonly Timer[], error: unknown): Promise<readonly IndexEntry[]> {
    const entries: IndexEntry[] = [];
    for (const timer of timers) entries.push(...(await failDerived(this.#tools, timer, error)));
    return entries;
  }
}
