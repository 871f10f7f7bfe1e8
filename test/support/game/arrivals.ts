/** The arrivals so far, in order, and the awaited ones. */
export class Arrivals<Item> {
  readonly all: Item[] = [];
  readonly #waiting = new Set<() => void>();

  add(...items: readonly Item[]): void {
    this.all.push(...items);
    for (const check of [...this.#waiting]) check();
  }

  /** Resolves with the first item that fits, also an earlier one. */
  one(fits: (item: Item) => boolean): Promise<Item> {
    const { promise, resolve } = Promise.withResolvers<Item>();
    const check = (): void => {
      const found = this.all.find(fits);
      if (found === undefined) return;
      this.#waiting.delete(check);
      resolve(found);
    };
    this.#waiting.add(check);
    check();
    return promise;
  }
}
