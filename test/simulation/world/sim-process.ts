import type { Clock } from '../../../server/runtime/clock.ts';
import type { Kernel } from './kernel.ts';

/** One life of a process. When it dies nothing of it goes on: what it awaited is never answered. */
export class SimProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly #kernel: Kernel;
  readonly #asking = new Map<string, number>();
  #isAlive = true;
  #frozenUntilMs = 0;
  readonly #deaths = new Set<() => void>();

  /** `offsetMs`: how wrong its wall clock is. */
  constructor(kernel: Kernel, name: string, offsetMs: number) {
    this.name = name;
    this.#kernel = kernel;
    const bootMs = kernel.nowMs;
    this.clock = {
      nowMs: () => Math.floor(kernel.nowMs + offsetMs),
      monotonicMs: () => kernel.nowMs - bootMs,
      cpuMs: () => kernel.nowMs - bootMs,
      after: (delayMs, callback) => this.after(delayMs, callback),
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get isFrozen(): boolean {
    return this.#kernel.nowMs < this.#frozenUntilMs;
  }

  /** Calls in this life only, and not while it is frozen. */
  after(delayMs: number, callback: () => void): () => void {
    let takeBack = (): void => undefined;
    const happen = (): void => {
      if (!this.#isAlive) return;
      if (this.isFrozen) takeBack = this.#kernel.after(this.#frozenUntilMs - this.#kernel.nowMs, happen);
      else callback();
    };
    takeBack = this.#kernel.after(delayMs, happen);
    return () => takeBack();
  }

  freeze(forMs: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.#kernel.nowMs + forMs);
  }

  /** Notes that an answer is awaited; the answer says that it came. */
  asks(what: string): () => void {
    this.#asking.set(what, (this.#asking.get(what) ?? 0) + 1);
    return () => this.#asking.set(what, (this.#asking.get(what) ?? 1) - 1);
  }

  isAsking(what: string): boolean {
    return (this.#asking.get(what) ?? 0) > 0;
  }

  /** The answer takes it back. */
  onDeath(listener: () => void): () => void {
    this.#deaths.add(listener);
    return () => this.#deaths.delete(listener);
  }

  kill(): void {
    this.#isAlive = false;
    for (const listener of this.#deaths) listener();
  }
}
