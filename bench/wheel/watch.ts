/** Adds up how long something takes. */
export class Watch {
  #count = 0;
  #ms = 0;

  /** `work` does the thing `count` times. */
  time<Answer>(count: number, work: () => Answer): Answer {
    const startedAtMs = performance.now();
    const answer = work();
    this.#ms += performance.now() - startedAtMs;
    this.#count += count;
    return answer;
  }

  get perSec(): number {
    return (this.#count / this.#ms) * 1000;
  }
}
