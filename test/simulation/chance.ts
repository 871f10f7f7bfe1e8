/** Chance that a seed repeats to the last draw (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Whole, at least 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  happens(probability: number): boolean {
    return probability > 0 && this.fraction() < probability;
  }

  /** Undefined only for an empty list. */
  oneOf<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }
}
