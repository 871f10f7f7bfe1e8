import { EntitySchema } from 'typeorm';
import { LATEST_MS } from '../../../../../../shared/latest-ms.ts';
import type { Timer, TimerState } from '../../../../../timer/model/timer.ts';
import { decimalId, textId, wholeNumber } from '../columns.ts';

/** What a timer is, and what it was when it ended: null while it is scheduled (`TimerDueRecord`). */
export interface TimerRecord extends Pick<Timer, 'id' | 'kind' | 'subject' | 'owner' | 'createdAtMs'> {
  readonly recurrence: unknown;
  readonly misfire: unknown;
  readonly lateness: unknown;
  readonly state: TimerState;
  readonly dueAtMs: number | null;
  readonly fireAtMs: number | null;
  readonly revision: number | null;
  readonly attempt: number | null;
  readonly turn: number | null;
  readonly payload: unknown;
  readonly lastError: string | null;
  readonly result: unknown;
  readonly updatedAtMs: number | null;
}

export const timerEntity = new EntitySchema<TimerRecord>({
  name: 'timer',
  columns: {
    id: { ...decimalId, primary: true, generated: 'increment' },
    kind: textId,
    subject: textId,
    owner: textId,
    dueAtMs: { ...wholeNumber, name: 'due_at', nullable: true },
    fireAtMs: { ...wholeNumber, name: 'fire_at', nullable: true },
    state: { type: 'text', default: 'scheduled' },
    revision: { type: 'integer', nullable: true },
    attempt: { type: 'smallint', nullable: true },
    turn: { type: 'integer', nullable: true },
    payload: { type: 'jsonb', nullable: true },
    recurrence: { type: 'jsonb', nullable: true },
    misfire: { type: 'jsonb', nullable: true },
    lateness: { type: 'jsonb', nullable: true },
    lastError: { type: 'text', name: 'last_error', nullable: true },
    result: { type: 'jsonb', nullable: true },
    createdAtMs: { ...wholeNumber, name: 'created_at' },
    updatedAtMs: { ...wholeNumber, name: 'updated_at', nullable: true },
  },
  indices: [
    { name: 'timer_scheduled_key', columns: ['kind', 'subject'], unique: true, where: "state = 'scheduled'" },
    { name: 'timer_scheduled_owner', columns: ['owner'], where: "state = 'scheduled'" },
    { name: 'timer_fired_key', columns: ['kind', 'subject', 'id'], where: "state in ('completed', 'dead')" },
    { name: 'timer_finished', columns: ['updatedAtMs'], where: "state in ('completed', 'cancelled')" },
    { name: 'timer_finished_owner', columns: ['owner', 'updatedAtMs'], where: "state <> 'scheduled'" },
    { name: 'timer_dead', columns: ['updatedAtMs'], where: "state = 'dead' and attempt > 0" },
  ],
  checks: [
    { name: 'timer_due_at_check', expression: `abs(due_at) < ${LATEST_MS}` },
    { name: 'timer_fire_at_check', expression: `abs(fire_at) < ${LATEST_MS}` },
    {
      name: 'timer_over_check',
      expression: `num_nulls(due_at, fire_at, updated_at, revision, attempt, turn)
        = case state when 'scheduled' then 6 else 0 end`,
    },
    { name: 'timer_state_check', expression: "state in ('scheduled', 'completed', 'cancelled', 'dead')" },
  ],
});
