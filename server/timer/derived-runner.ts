import type { IndexEntry } from './due-index.ts';
import { failDerived, retrySoon } from './failed-attempt.ts';
import type { FiringTools } from './firing-tools.ts';
import type { Timer } from './timer.ts';
import type { DerivedKind } from './timer-kind.ts';

/** Fires derived kinds: looks at the owners, whose own path completes the rows. Owners that fail are tried alone. */
export class DerivedRunner {
  readonly #tools: FiringTools;

  constructor(tools: FiringTools) {
    this.#tools = tools;
  }

  /** Answers the entries of those that come again. */
  async run(kind: DerivedKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    const owners = [...new Set(timers.map(({ owner }) => owner))];
    try {
      await kind.settle(owners);
    } catch (error) {
      if (this.#tools.store.isWorldFault(error)) return retrySoon(this.#tools, timers, error);
      if (owners.length === 1) return this.#fail(timers, error);
      return this.#runHalves(kind, timers, owners);
    }
    return this.#failUntouched(kind, timers);
  }

  async #runHalves(
    kind: DerivedKind,
    timers: readonly Timer[],
    owners: readonly string[],
  ): Promise<readonly IndexEntry[]> {
    const first = new Set(owners.slice(0, Math.ceil(owners.length / 2)));
    const earlier = await this.run(
      kind,
      timers.filter(({ owner }) => first.has(owner)),
    );
    return [
      ...earlier,
      ...(await this.run(
        kind,
        timers.filter(({ owner }) => !first.has(owner)),
      )),
    ];
  }

  /** A row that its owner's look did not change would be due for ever: it is stuck as well. */
  async #failUntouched(kind: DerivedKind, timers: readonly Timer[]): Promise<readonly IndexEntry[]> {
    const { store, observe } = this.#tools;
    const { timers: after, nowMs } = await store.read(timers.map(({ id }) => id));
    const revisions = new Map(timers.map(({ id, revision }) => [id, revision]));
    const untouched = after.filter(
      ({ id, state, revision }) => state === 'scheduled' && revision === revisions.get(id),
    );
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
