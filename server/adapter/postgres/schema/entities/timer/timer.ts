import { EntitySchema } from 'typeorm';
import { LATEST_MS } from '../../../../../../shared/latest-ms.ts';
import type { Timer, TimerState } from '../../../../../timer/model/timer.ts';
import { decimalId, wholeNumber } from '../bigint-columns.ts';

export interface TimerRecord extends Omit<Timer, 'lastError'> {
  readonly state: TimerState;
  readonly lastError: string | null;
}

export const timerEntity = new EntitySchema<TimerRecord>({
  name: 'timer',
  columns: {
    id: { ...decimalId, primary: true, generated: 'increment' },
    kind: { type: 'text' },
    subject: { type: 'text' },
    owner: { type: 'text' },
    dueAtMs: { ...wholeNumber, name: 'due_at' },
    fireAtMs: { ...wholeNumber, name: 'fire_at' },
    state: { type: 'text', default: 'scheduled' },
    revision: { type: 'integer', default: 1 },
    attempt: { type: 'smallint', default: 0 },
    turn: { type: 'integer', default: 1 },
    claims: { type: 'smallint', default: 0 },
    payload: { type: 'jsonb', nullable: true },
    lastError: { type: 'text', name: 'last_error', nullable: true },
    result: { type: 'jsonb', nullable: true },
    createdAtMs: { ...wholeNumber, name: 'created_at' },
    updatedAtMs: { ...wholeNumber, name: 'updated_at' },
  },
  indices: [
    { name: 'timer_scheduled_key', columns: ['kind', 'subject'], unique: true, where: "state = 'scheduled'" },
    { name: 'timer_scheduled_fire_at', columns: ['fireAtMs', 'id'], where: "state = 'scheduled'" },
    { name: 'timer_scheduled_owner', columns: ['owner'], where: "state = 'scheduled'" },
    { name: 'timer_fired_key', columns: ['kind', 'subject', 'id'], where: "state in ('completed', 'dead')" },
    { name: 'timer_finished', columns: ['updatedAtMs'], where: "state in ('completed', 'cancelled')" },
    { name: 'timer_finished_owner', columns: ['owner', 'updatedAtMs'], where: "state <> 'scheduled'" },
    {
      name: 'timer_failed',
      columns: ['state', 'updatedAtMs'],
      where: "attempt > 0 and state in ('scheduled', 'dead')",
    },
  ],
  checks: [
    { name: 'timer_due_at_check', expression: `abs(due_at) < ${LATEST_MS}` },
    { name: 'timer_fire_at_check', expression: `abs(fire_at) < ${LATEST_MS}` },
    { name: 'timer_state_check', expression: "state in ('scheduled', 'completed', 'cancelled', 'dead')" },
  ],
});
