import type { IndexEntry } from '../model/index-entry.ts';
import type { TimerStore } from '../model/timer-store.ts';
import type { DueIndex } from './due-index.ts';

/** The fence takes an entry that is 1,024 to 2,047 revisions older for 1,024 to 1 newer (ADR 10). */
const MOST_AHEAD = 1024;

/** The rows, and the index that gets their entries. */
export interface RowsAndOrders {
  readonly store: Pick<TimerStore, 'read'>;
  readonly index: Pick<DueIndex, 'orders'>;
}

/**
 * Puts the entries of rows that differed from the index. Where the fence refuses one, its row is read again: if it has
 * not changed, the present entry, which was read before, is older and is replaced.
 */
export const putRows = async ({ store, index }: RowsAndOrders, entries: readonly IndexEntry[]): Promise<void> => {
  if (entries.length === 0) return;
  await index.orders.put(entries);
  const times = await index.orders.fireTimes(entries);
  const refused = entries.filter(({ timerId, fireAtMs }) => (times.get(timerId) ?? fireAtMs) !== fireAtMs);
  if (refused.length === 0) return;
  const { timers } = await store.read(refused);
  const revisions = new Map(timers.map(({ id, revision }) => [id, revision]));
  const unchanged = refused.filter(({ timerId, revision }) => revisions.get(timerId) === revision);
  await index.orders.remove(unchanged.map((entry) => ({ ...entry, revision: entry.revision + MOST_AHEAD })));
  await index.orders.put(unchanged);
};
