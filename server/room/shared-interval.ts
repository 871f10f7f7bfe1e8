import type { Clock } from '../runtime/clock.ts';

/** The functions are called in so many parts, one after the other, so that no turn blocks the event loop for long. */
const PARTS = 10;

interface IntervalOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** How often each is called. */
  readonly everyMs: number;
  readonly onFault: (error: unknown) => void;
}

/**
 * One timer that calls many functions at regular intervals: a timer for each idle room costs more than all that the room
 * does. There is no timer while there is nothing to call.
 */
export class SharedInterval {
  readonly #on: IntervalOptions;
  readonly #parts: readonly Set<() => void>[] = Array.from({ length: PARTS }, () => new Set());
  #turn = 0;
  #cancel: (() => void) | undefined;

  constructor(options: IntervalOptions) {
    this.#on = options;
  }

  /** `work` must be its own: the same function counts once. The function that it returns removes it. */
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
      // A set is walked as it is: who leaves meanwhile is not called.
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
