import type { RegisteredKind } from './timer.ts';
import type { EngineKind } from './timer-kind.ts';

/** The kinds that this process can fire, the paused ones, and the kinds of other processes. */
export class TimerKinds {
  readonly #kinds = new Map<string, EngineKind>();
  #paused: ReadonlySet<string> = new Set();
  /** Whether they are derived. */
  #registered: ReadonlyMap<string, boolean> = new Map();

  /** Throws when the kind is registered already. */
  register(kind: EngineKind): void {
    if (this.#kinds.has(kind.kind)) throw new Error(`timer kind ${kind.kind} is registered twice`);
    this.#kinds.set(kind.kind, kind);
  }

  get(kind: string): EngineKind | undefined {
    return this.#kinds.get(kind);
  }

  /** Whether only rules write its timers, in this process or in another one. */
  isDerived(kind: string): boolean {
    const own = this.#kinds.get(kind);
    return own ? 'derived' in own : this.#registered.get(kind) === true;
  }

  /** The kinds of this process, as other processes need to know them. */
  get declared(): readonly RegisteredKind[] {
    return [...this.#kinds.values()].map((kind) =>
      'derived' in kind
        ? { kind: kind.kind, retentionMs: undefined, module: kind.module, isRetired: kind.isRetired }
        : { kind: kind.kind, retentionMs: kind.retentionMs },
    );
  }

  /** The kinds that this process fires now. */
  get firing(): readonly string[] {
    return [...this.#kinds.keys()].filter((kind) => !this.#paused.has(kind));
  }

  /** Whether this process knows of a process that registered the kind. */
  isKnown(kind: string): boolean {
    return this.#kinds.has(kind) || this.#registered.has(kind);
  }

  /** All kinds that any process ever registered. */
  setRegistered(kinds: ReadonlyMap<string, boolean>): void {
    this.#registered = kinds;
  }

  isPaused(kind: string): boolean {
    return this.#paused.has(kind);
  }

  setPaused(kinds: ReadonlySet<string>): void {
    this.#paused = kinds;
  }
}
