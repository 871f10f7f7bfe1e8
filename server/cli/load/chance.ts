/** Chance that is the same in every run with the same seed. */
export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** Of a list with weights; undefined of an empty one. */
  pick<Item>(items: readonly { readonly weight: number; readonly item: Item }[]): Item | undefined;
}

/** Mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export const chanceOf = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    pick: (items) => {
      let left = next() * items.reduce((sum, { weight }) => sum + weight, 0);
      for (const { weight, item } of items) {
        left -= weight;
        if (left < 0) return item;
      }
      return items.at(-1)?.item;
    },
  };
};
