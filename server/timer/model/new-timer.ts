import { recurrenceOf } from '../recurrence/recurrence.ts';
import { dueAtOf } from './changed-timer.ts';
import type { Timer } from './timer.ts';
import type { NewTimer } from './timer-changes.ts';

/** A timer as it begins: `createdAtMs` is the store's time. */
export const newTimer = (id: string, wanted: NewTimer, createdAtMs: number): Timer => ({
  id,
  kind: wanted.kind,
  subject: wanted.subject,
  owner: wanted.owner,
  dueAtMs: dueAtOf(wanted, createdAtMs),
  fireAtMs: dueAtOf(wanted, createdAtMs),
  isPaused: false,
  state: 'scheduled',
  revision: 1,
  attempt: 0,
  turn: 1,
  claims: 0,
  claimedAtMs: undefined,
  payload: wanted.payload,
  recurrence: recurrenceOf(wanted),
  misfire: wanted.misfire,
  lateness: undefined,
  lastError: undefined,
  result: undefined,
  createdAtMs,
  updatedAtMs: createdAtMs,
});
