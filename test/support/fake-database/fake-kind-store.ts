import { isOfThing, type RegisteredKind, type Timer } from '../../../server/timer/model/timer.ts';
import type { KindStore } from '../../../server/timer/model/timer-store.ts';
import type { TimerRows } from './timer-rows.ts';

/** The kinds in this process (`KindStore`). */
export class FakeKindStore implements KindStore {
  readonly #rows: TimerRows;
  readonly #paused = new Set<string>();
  readonly #kinds = new Map<string, RegisteredKind>();

  constructor(rows: TimerRows) {
    this.#rows = rows;
  }

  /** Not of things of retired modules. */
  isInUse({ kind }: Timer): boolean {
    return this.#kinds.get(kind)?.isRetired !== true;
  }

  /** A kind that keeps no rows of finished timers. */
  isForgotten(kind: string): boolean {
    return this.#kinds.get(kind)?.retentionMs === 0;
  }

  async registerKinds(kinds: readonly RegisteredKind[]): Promise<void> {
    for (const kind of kinds) {
      if (kind.module !== undefined) this.#takeOver(kind.kind, kind.module);
      this.#kinds.set(kind.kind, kind);
    }
  }

  /** A module's kind is the one that it has now. */
  #takeOver(kind: string, module: string): void {
    for (const before of [...this.#kinds.values()]) {
      if (before.module !== module || before.kind === kind) continue;
      this.#kinds.set(before.kind, { ...before, module: undefined, isRetired: false });
      const timers = this.#rows.all().filter((timer) => timer.kind === before.kind && isOfThing(timer.id));
      for (const timer of timers) this.#rows.set({ ...timer, kind });
    }
  }

  async registeredKinds(): Promise<ReadonlyMap<string, boolean>> {
    return new Map([...this.#kinds.values()].map(({ kind, module }) => [kind, module !== undefined]));
  }

  async retentions(): Promise<ReadonlyMap<string, number>> {
    return new Map(
      [...this.#kinds.values()].flatMap(({ kind, retentionMs: ms }) => (ms === undefined ? [] : [[kind, ms] as const])),
    );
  }

  async setPaused(kind: string, isPaused: boolean): Promise<void> {
    if (isPaused) this.#paused.add(kind);
    else this.#paused.delete(kind);
  }

  async pausedKinds(): Promise<ReadonlySet<string>> {
    return new Set(this.#paused);
  }
}
