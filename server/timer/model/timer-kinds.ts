import type { RegisteredKind } from './timer.ts';
import type { EngineKind } from './timer-kind.ts';

/** The kinds that this process can fire, which of them are paused, and which others there are. */
export class TimerKinds {
  readonly #kinds = new Map<string, EngineKind>();
  #paused: ReadonlySet<string> = new Set();
  #registered: ReadonlySet<string> = new Set();
  #derived: readonly string[] = [];

  /** Throws when the kind is there already. */
  register(kind: EngineKind): void {
    if (this.#kinds.has(kind.kind)) throw new Error(`timer kind ${kind.kind} is registered twice`);
    this.#kinds.set(kind.kind, kind);
    if ('derived' in kind) this.#derived = [...this.#derived, kind.kind];
  }

  get(kind: string): EngineKind | undefined {
    return this.#kinds.get(kind);
  }

  get derived(): readonly string[] {
    return this.#derived;
  }

  /** What other processes have to know of the kinds of this one. */
  get declared(): readonly RegisteredKind[] {
    return [...this.#kinds.values()].map((kind) =>
      'derived' in kind
        ? { kind: kind.kind, retentionMs: undefined, module: kind.module, isRetired: kind.isRetired }
        : { kind: kind.kind, retentionMs: kind.retentionMs },
    );
  }

  /** What this process can fire now. */
  get firing(): readonly string[] {
    return [...this.#kinds.keys()].filter((kind) => !this.#paused.has(kind));
  }

  /** Whether this process or another has registered it, as far as is known here. */
  isKnown(kind: string): boolean {
    return this.#kinds.has(kind) || this.#registered.has(kind);
  }

  /** All kinds that any process ever registered. */
  setRegistered(kinds: ReadonlySet<string>): void {
    this.#registered = kinds;
  }

  isPaused(kind: string): boolean {
    return this.#paused.has(kind);
  }

  setPaused(kinds: ReadonlySet<string>): void {
    this.#paused = kinds;
  }
}
