import { EntitySchema } from 'typeorm';
import { LATEST_MS } from '../../../../../../shared/latest-ms.ts';
import { decimalId, textId, wholeNumber } from '../columns.ts';

/** When a scheduled timer is due, and all else of it that moves. */
export interface TimerDueRecord {
  readonly id: string;
  readonly kind: string;
  readonly owner: string;
  readonly fireAtMs: number;
  readonly dueAtMs: number;
  readonly revision: number;
  readonly turn: number;
  readonly attempt: number;
  readonly claims: number;
  readonly claimedAtMs: number | null;
  readonly updatedAtMs: number;
  readonly lastError: string | null;
  /** Null: the one in the row of `timer`. */
  readonly payload: unknown;
  readonly lateness: unknown;
}

export const timerDueEntity = new EntitySchema<TimerDueRecord>({
  name: 'timer_due',
  columns: {
    id: { ...decimalId, primary: true },
    kind: textId,
    owner: textId,
    fireAtMs: { ...wholeNumber, name: 'fire_at' },
    dueAtMs: { ...wholeNumber, name: 'due_at' },
    revision: { type: 'integer', default: 1 },
    turn: { type: 'integer', default: 1 },
    attempt: { type: 'smallint', default: 0 },
    claims: { type: 'smallint', default: 0 },
    claimedAtMs: { ...wholeNumber, name: 'claimed_at', nullable: true },
    updatedAtMs: { ...wholeNumber, name: 'updated_at' },
    lastError: { type: 'text', name: 'last_error', nullable: true },
    payload: { type: 'jsonb', nullable: true },
    lateness: { type: 'jsonb', nullable: true },
  },
  indices: [
    { name: 'timer_due_fire_at', columns: ['fireAtMs', 'id'] },
    { name: 'timer_due_failed', columns: ['updatedAtMs'], where: 'attempt > 0' },
  ],
  checks: [
    { name: 'timer_due_fire_at_check', expression: `abs(fire_at) < ${LATEST_MS}` },
    { name: 'timer_due_due_at_check', expression: `abs(due_at) < ${LATEST_MS}` },
  ],
});
