import type { IndexEntry } from '../model/index-entry.ts';

/** One entry for each timer: of several the newest, of equals the last. */
export const newestEntries = (entries: readonly IndexEntry[]): readonly IndexEntry[] => {
  const newest = new Map<string, IndexEntry>();
  for (const entry of entries) {
    const other = newest.get(entry.timerId);
    if (other === undefined || other.revision <= entry.revision) newest.set(entry.timerId, entry);
  }
  return newest.size === entries.length ? entries : [...newest.values()];
};
