/** By item name: the count. */
export type Items = Readonly<Record<string, number>>;

/** Own entries only: `constructor` is no item, food or thing. */
export const ownEntry = <Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const countOf = (items: Items, item: string): number => ownEntry(items, item) ?? 0;

/** The part of `more` that can still be counted; a stock counts whole numbers up to 2^53 - 1. */
export const countable = (items: Items, more: Items): Items =>
  Object.fromEntries(
    Object.entries(more)
      .map(([item, count]) => [item, Math.min(count, Number.MAX_SAFE_INTEGER - countOf(items, item))] as const)
      .filter(([, count]) => count > 0),
  );

/** Sums of counts by item, without items with 0, so that equal stocks are equal values. */
export const addItems = (items: Items, deltas: Items): Items => {
  const sum: Record<string, number> = { ...items };
  for (const [item, delta] of Object.entries(deltas)) {
    const count = countOf(sum, item) + delta;
    if (count === 0) delete sum[item];
    else sum[item] = count;
  }
  return sum;
};
