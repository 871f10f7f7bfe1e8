import type { Clock } from '../runtime/clock.ts';

/** The functions are called in so many parts, so that no turn blocks the event loop for long. */
const PARTS = 10;

interface IntervalOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** How often each function is called. */
  readonly everyMs: number;
  readonly onFault: (error: unknown) => void;
}

/**
 * One timer that calls many functions at regular intervals: a timer for each idle room would cost more than the room's
 * own work. Without functions there is no timer.
 */
export class SharedInterval {
  readonly #on: IntervalOptions;
  readonly #parts: readonly Set<() => void>[] = Array.from({ length: PARTS }, () => new Set());
  #turn = 0;
  #cancel: (() => void) | undefined;

  constructor(options: IntervalOptions) {
    this.#on = options;
  }

  /** Each caller needs its own function: the same function counts once. Returns a function that removes it. */
  add(work: () => void): () => void {
    const part = this.#parts.reduce((least, other) => (other.size < least.size ? other : least));
    part.add(work);
    this.#cancel ??= this.#wait();
    return () => {
      part.delete(work);
      if (this.#parts.some(({ size }) => size > 0)) return;
      this.#cancel?.();
      this.#cancel = undefined;
    };
  }

  #wait(): () => void {
    return this.#on.clock.after(this.#on.everyMs / PARTS, () => {
      this.#cancel = this.#wait();
      this.#turn = (this.#turn + 1) % PARTS;
      // A set may change while it is iterated: a function that is removed meanwhile is not called.
      for (const work of this.#parts[this.#turn] ?? []) this.#try(work);
    });
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#on.onFault(error);
    }
  }
}
