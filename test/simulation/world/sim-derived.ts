import type { IndexChanges } from '../../../server/timer/model/index-entry.ts';
import { entryOf, type IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { newTimer } from '../../../server/timer/model/new-timer.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { DerivedChanges } from '../../../server/timer/model/timer-store.ts';
import type { Session, SimDatabase } from './sim-database.ts';

/** The timer rows that follow from a change of homes: locked, and written with the commit. */
export const changeDerivedIn = async (
  database: SimDatabase,
  session: Session,
  { put = [], end = [] }: DerivedChanges,
  nowMs: number,
): Promise<IndexChanges> => {
  const there: IndexEntry[] = [];
  const gone: IndexEntry[] = [];
  const locked = async (kind: string, subject: string): Promise<Timer | undefined> => {
    await session.lock(`timer ${kind} ${subject}`);
    return database.scheduledTimer(kind, subject);
  };
  for (const { kind, subject } of end) {
    const timer = await locked(kind, subject);
    if (!timer) continue;
    session.write(() => database.timers.delete(timer.id));
    gone.push({ ...entryOf(timer), revision: timer.revision + 1 });
  }
  for (const { kind, subject, owner, dueAtMs } of put) {
    const timer = await locked(kind, subject);
    const moved = { dueAtMs, fireAtMs: dueAtMs, attempt: 0, lastError: undefined, updatedAtMs: nowMs };
    const next = timer
      ? { ...timer, ...moved, revision: timer.revision + 1 }
      : newTimer(database.nextTimerId(), { kind, subject, owner, dueAtMs }, nowMs);
    session.write(() => database.timers.set(next.id, next));
    there.push(entryOf(next));
  }
  return { put: there, remove: gone };
};
