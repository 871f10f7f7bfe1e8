/** Item name -> how many. */
export type Items = Readonly<Record<string, number>>;

/** Own entries only: `constructor` is no item. */
export const countOf = (items: Items, item: string): number => (Object.hasOwn(items, item) ? (items[item] ?? 0) : 0);

/** Sums of counts by item; entries that become 0 stay out, so that equal stocks are equal values. */
export const addItems = (items: Items, deltas: Items): Items => {
  const sum: Record<string, number> = { ...items };
  for (const [item, delta] of Object.entries(deltas)) {
    const count = countOf(sum, item) + delta;
    if (count === 0) delete sum[item];
    else sum[item] = count;
  }
  return sum;
};
