import { entryOf, type IndexChanges, type IndexEntry } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { DerivedChanges } from '../../../server/timer/model/timer-store.ts';
import { RowChanges } from '../../support/fake-database/row-changes.ts';
import type { Session } from './sim-database.ts';

/** The timer rows that follow from a change of homes: locked, and written with the commit. */
export const changeDerivedIn = async (
  session: Session,
  { put = [], end = [] }: DerivedChanges,
  nowMs: number,
): Promise<IndexChanges> => {
  const changes = new RowChanges(
    () => nowMs,
    () => false,
  );
  const gone: IndexEntry[] = [];
  const there: IndexEntry[] = [];
  const locked = async (key: { readonly kind: string; readonly subject: string }): Promise<Timer | undefined> => {
    await session.lock(`timer ${key.kind} ${key.subject}`);
    return session.timers.find(key);
  };
  for (const key of end) {
    const timer = await locked(key);
    if (timer?.state !== 'scheduled') continue;
    session.timers.delete(timer.id);
    gone.push({ ...entryOf(timer), revision: timer.revision + 1 });
  }
  for (const wanted of put) {
    await locked(wanted);
    there.push(entryOf(changes.put(session.timers, wanted)));
  }
  return { put: there, remove: gone };
};
