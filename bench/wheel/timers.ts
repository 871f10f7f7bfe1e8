import type { TimerQueue } from './timer-queue.ts';

/** A queue and the handles of its timers, by ids that are small and used again. */
export class Timers<Handle> {
  readonly #queue: TimerQueue<Handle>;
  readonly #handles: Handle[] = [];
  nowMs: number;

  constructor(queue: TimerQueue<Handle>, nowMs: number) {
    this.#queue = queue;
    this.nowMs = nowMs;
  }

  insert(ids: readonly number[], fireAtMs: Float64Array): void {
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      this.#handles[id] = this.#queue.insert(id, fireAtMs[at] ?? 0);
    }
  }

  move(ids: readonly number[], fireAtMs: Float64Array): void {
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      const handle = this.#handles[id];
      if (handle !== undefined) this.#handles[id] = this.#queue.move(handle, fireAtMs[at] ?? 0);
    }
  }

  cancel(ids: readonly number[]): void {
    for (const id of ids) {
      const handle = this.#handles[id];
      if (handle !== undefined) this.#queue.cancel(handle);
    }
  }

  /** Lets time pass until at least `count` have fired, and answers those. */
  fire(count: number): number[] {
    const fired: number[] = [];
    while (fired.length < count) this.nowMs = this.#queue.fireNext((id) => fired.push(id));
    return fired;
  }
}
