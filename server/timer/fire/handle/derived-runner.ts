import type { IndexEntry } from '../../model/index-entry.ts';
import type { Timer } from '../../model/timer.ts';
import type { DerivedKind, Unsettled } from '../../model/timer-kind.ts';
import { failHomes, retrySoon } from '../attempt/failed-attempt.ts';
import type { FiringTools } from '../attempt/firing-tools.ts';
import type { Ran } from '../attempt/lane-work.ts';
import { retryAfterLock } from '../attempt/retry-after-lock.ts';

/**
 * Fires timers of things: looks at the owners, whose own path moves the rows. An owner that is locked or fails holds
 * up no other.
 */
export class DerivedRunner {
  readonly #tools: FiringTools;

  constructor(tools: FiringTools) {
    this.#tools = tools;
  }

  async run(kind: DerivedKind, timers: readonly Timer[]): Promise<Ran> {
    const byOwner = Map.groupBy(timers, ({ owner }) => owner);
    const { store } = this.#tools;
    const { unsettled, moved } = await kind.settle([...byOwner.keys()]);
    const timersOf = (some: readonly Unsettled[]): readonly Timer[] =>
      some.flatMap(({ owner }) => byOwner.get(owner) ?? []);
    const locked = timersOf(unsettled.filter(({ isLocked }) => isLocked));
    const awayOnes = unsettled.filter(({ isLocked, error }) => !isLocked && store.isWorldFault(error));
    const away = timersOf(awayOnes);
    const failed = unsettled.filter((one) => !one.isLocked && !awayOnes.includes(one));
    const failures = failed.map((one) => ({ timers: timersOf([one]), error: one.error }));
    for (const { owner } of unsettled) byOwner.delete(owner);
    const stuck = await this.#stillDue(kind, [...byOwner.values()].flat(), moved);
    return {
      entries: [
        ...this.#locked(locked),
        ...(away.length > 0 ? retrySoon(this.#tools, away, awayOnes[0]?.error) : []),
        ...(await failHomes(this.#tools, [...failures, ...stuck])),
      ],
      finished: timers.length - locked.length - away.length,
    };
  }

  /** In the index alone, and uncounted: the row is due still, so that any node may take it. */
  #locked(timers: readonly Timer[]): readonly IndexEntry[] {
    if (timers.length === 0) return [];
    this.#tools.observe({ type: 'put-back', reason: 'locked', count: timers.length });
    const nowMs = this.#tools.storeClock.nowMs();
    return timers.map((timer) => retryAfterLock(timer, nowMs));
  }

  /** A row that its owner's look did not change would be due for ever: it is stuck as well. Asked is only of what the look did not move itself. */
  async #stillDue(kind: DerivedKind, timers: readonly Timer[], moved: ReadonlySet<string>) {
    const { store, observe, storeClock } = this.#tools;
    const unmoved = timers.filter(({ id }) => !moved.has(id));
    const still = unmoved.length > 0 ? (await store.stillDue(unmoved)).timers : [];
    const left = new Set(still.map(({ id }) => id));
    const fired = timers.filter(({ id }) => !left.has(id));
    if (fired.length > 0) {
      observe({ type: 'fired', kind: kind.kind, timers: fired, nowMs: Math.floor(storeClock.nowMs()) });
    }
    const failing = new Set(still.map(({ owner }) => owner));
    const mended = fired.filter(({ attempt, owner }) => attempt > 0 && !failing.has(owner));
    if (mended.length > 0) await store.release([...new Set(mended.map(({ owner }) => owner))]);
    const error = new Error('still due after its owner was settled');
    return [...Map.groupBy(still, ({ owner }) => owner).values()].map((own) => ({ timers: own, error }));
  }
}
