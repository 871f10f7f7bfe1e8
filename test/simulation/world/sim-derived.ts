import { entryOf, type IndexEntry } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { DerivedChanges, IndexChanges } from '../../../server/timer/model/timer-store.ts';
import type { Session, SimDatabase } from './sim-database.ts';

/** The timer rows that follow from a change of homes: locked, and written with the commit. */
export const changeDerivedIn = async (
  database: SimDatabase,
  session: Session,
  { schedule = [], reschedule = [], complete = [], cancel = [] }: DerivedChanges,
  nowMs: number,
): Promise<IndexChanges> => {
  const put: IndexEntry[] = [];
  const remove: IndexEntry[] = [];
  const write = (timer: Timer): Timer => {
    session.write(() => database.timers.set(timer.id, timer));
    return timer;
  };
  const change = (timer: Timer, to: Partial<Timer>): Timer =>
    write({ ...timer, ...to, revision: timer.revision + 1, updatedAtMs: nowMs });
  const locked = async (kind: string, subject: string): Promise<Timer | undefined> => {
    await session.lock(`timer ${kind} ${subject}`);
    return database.scheduledTimer(kind, subject);
  };
  for (const { kind, subject } of complete) {
    const timer = await locked(kind, subject);
    if (timer) remove.push(entryOf(change(timer, { state: 'completed' })));
  }
  for (const { kind, subject } of cancel) {
    const timer = await locked(kind, subject);
    if (timer) remove.push(entryOf(change(timer, { state: 'cancelled' })));
  }
  for (const { kind, subject, dueAtMs } of reschedule) {
    const timer = await locked(kind, subject);
    if (timer) put.push(entryOf(change(timer, { dueAtMs, fireAtMs: dueAtMs, attempt: 0, lastError: undefined })));
  }
  for (const { kind, subject, owner, dueAtMs } of schedule) {
    await session.lock(`timer ${kind} ${subject}`);
    const timer: Timer = {
      id: database.nextTimerId(),
      kind,
      subject,
      owner,
      dueAtMs,
      fireAtMs: dueAtMs,
      state: 'scheduled',
      revision: 1,
      attempt: 0,
      turn: 1,
      claims: 0,
      isPaused: false,
      payload: undefined,
      lastError: undefined,
      result: undefined,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    put.push(entryOf(write(timer)));
  }
  return { put, remove };
};
