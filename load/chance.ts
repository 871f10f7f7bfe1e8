import { randomFrom } from '../shared/random-from.ts';

/** Random values that are the same in every run with the same seed. */
export interface SeededChance {
  /** In [0, 1). */
  next(): number;
  /** Picks from a list with weights; undefined if it is empty. */
  pick<Item>(items: readonly { readonly weight: number; readonly item: Item }[]): Item | undefined;
}

export const chanceOf = (seed: number): SeededChance => {
  const next = randomFrom(seed);
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
