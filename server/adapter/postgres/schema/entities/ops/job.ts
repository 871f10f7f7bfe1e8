import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

export interface JobRecord {
  readonly jobId: string;
  readonly actor: string;
  readonly reason: string;
  readonly items: Readonly<Record<string, number>>;
  readonly state: 'running' | 'stopped' | 'done';
  readonly perSecond: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export const jobEntity = new EntitySchema<JobRecord>({
  name: 'job',
  columns: {
    jobId: { ...textId, name: 'job_id', primary: true },
    actor: { type: 'text' },
    reason: { type: 'text' },
    items: { type: 'jsonb' },
    state: { type: 'text' },
    perSecond: { type: 'integer', name: 'per_second' },
    createdAtMs: { ...wholeNumber, name: 'created_at' },
    updatedAtMs: { ...wholeNumber, name: 'updated_at' },
  },
  checks: [{ name: 'job_state_check', expression: "state in ('running', 'stopped', 'done')" }],
});
