/** So many may have it at once; the others wait in their order. */
export class Share {
  #free: number;
  #isStopping = false;
  #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs `work` when there is a place; undefined when there is to be none any more. */
  async use<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#isStopping) return undefined;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /** Nobody gets a place any more; who has one goes on. */
  stop(): void {
    this.#isStopping = true;
    for (const end of this.#waiting.splice(0)) end();
  }
}
