/** Chance that is the same for the same seed. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Whole, from 0 and below `bound`. */
  below(bound: number): number;
  /** True in so many of a hundred cases. */
  percent(chance: number): boolean;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
  /** Chance of its own, which does not depend on how often this one is asked. */
  fork(name: string): Random;
}

export const randomOf = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    percent: (chance) => next() * 100 < chance,
    pick: (values) => values[below(values.length)] ?? values[0],
    fork: (name) =>
      randomOf([...name].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), seed)),
  };
};
