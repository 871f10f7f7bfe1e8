import { isNamed, listIn, readableEntries } from './known-names.ts';

/**
 * Things that no player can ever place: their limit stays 0, since it rises with a level that its own or another such
 * thing would need. `highest`: the highest level of each thing, if there is one.
 */
export const neverPlaced = (part: unknown, highest: ReadonlyMap<unknown, number>): readonly string[] => {
  const things = readableEntries(part);
  const names = new Set(things.map(([name]) => name));
  const risesWith = new Map<string, string[]>();
  const placed = new Set<string>();
  const never = new Map<string, string>();
  for (const [name, { limit }] of things) {
    const [[by, list] = ['', undefined], ...more] = Object.entries(isNamed(limit) ? limit : {});
    const own = listIn(list);
    // An unreadable limit has its own fault.
    if (!own?.some(Boolean) || own[0] !== 0 || more.length > 0 || !names.has(by)) {
      placed.add(name);
      continue;
    }
    never.set(name, by);
    if (own.slice(0, (highest.get(by) ?? own.length) + 1).some(Boolean)) {
      const others = risesWith.get(by);
      if (others) others.push(name);
      else risesWith.set(by, [name]);
    }
  }
  // The loop also reaches the names that it adds.
  for (const name of placed) for (const next of risesWith.get(name) ?? []) placed.add(next);
  return [...never].flatMap(([name, by]) =>
    placed.has(name)
      ? []
      : [`things.${name}.limit.${by}: is 0 for ever, since ${by} never has the level that it needs`],
  );
};
