import type { Platform } from '../../../client/follow/platform.ts';
import { randomFrom } from '../../../shared/random-from.ts';

/** A machine by hand: time stands still until it is moved, chance comes from a seed, ids are counted. */
export class ManualPlatform implements Platform {
  #nowMs = 1_000;
  readonly random: () => number;
  #ids = 0;
  readonly #timers = new Map<object, { readonly atMs: number; readonly act: () => void }>();

  constructor(seed = 1) {
    this.random = randomFrom(seed);
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(ms: number, act: () => void): () => void {
    const key = {};
    this.#timers.set(key, { atMs: this.#nowMs + ms, act });
    return () => this.#timers.delete(key);
  }

  uniqueId(): string {
    this.#ids += 1;
    return `command-${this.#ids}`;
  }

  /** Moves time on; what comes due happens in order, each with all that follows from it before the next. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled();
    for (let next = this.#nextUntil(endMs); next; next = this.#nextUntil(endMs)) {
      const [key, { atMs, act }] = next;
      this.#timers.delete(key);
      this.#nowMs = Math.max(this.#nowMs, atMs);
      act();
      await settled();
    }
    this.#nowMs = endMs;
  }

  #nextUntil(endMs: number) {
    return [...this.#timers].filter(([, { atMs }]) => atMs <= endMs).sort(([, a], [, b]) => a.atMs - b.atMs)[0];
  }
}

/** Every promise that can go on without time has gone on. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
