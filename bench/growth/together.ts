import type { Contender, Sample } from '../harness/row.ts';

/**
 * Contenders that one measurement answers at once: the first whose turn comes in a round measures for all of them, the
 * others take what is theirs.
 */
export const together = (
  names: readonly string[],
  measure: () => Promise<ReadonlyMap<string, Sample>>,
): readonly Contender[] => {
  let found = new Map<string, Sample>();
  return names.map((name) => ({
    name,
    measure: async () => {
      if (!found.has(name)) found = new Map(await measure());
      const own = found.get(name) ?? {};
      found.delete(name);
      return own;
    },
  }));
};
