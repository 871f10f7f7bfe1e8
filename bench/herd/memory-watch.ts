const LOOK_EVERY_MS = 50;
const MB = 1_048_576;

/** How much memory the process takes more than at the beginning, at its height, in MB. */
export class MemoryWatch {
  readonly #fromMb = process.memoryUsage().rss / MB;
  #peakMb = this.#fromMb;
  readonly #timer = setInterval(() => {
    this.#peakMb = Math.max(this.#peakMb, process.memoryUsage().rss / MB);
  }, LOOK_EVERY_MS);

  stop(): number {
    clearInterval(this.#timer);
    return this.#peakMb - this.#fromMb;
  }
}
