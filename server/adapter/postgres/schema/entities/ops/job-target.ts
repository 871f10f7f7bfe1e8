import { EntitySchema } from 'typeorm';
import { textId } from '../columns.ts';

export interface JobTargetRecord {
  readonly jobId: string;
  readonly playerId: string;
  readonly state: 'waiting' | 'done' | 'refused';
  /** Why it was refused. */
  readonly code: string | null;
}

export const jobTargetEntity = new EntitySchema<JobTargetRecord>({
  name: 'job_target',
  columns: {
    jobId: { ...textId, name: 'job_id', primary: true },
    playerId: { ...textId, name: 'player_id', primary: true },
    state: { type: 'text', default: 'waiting' },
    code: { type: 'text', nullable: true },
  },
  indices: [
    { name: 'job_target_state', columns: ['jobId', 'state', 'playerId'] },
    { name: 'job_target_player', columns: ['playerId'] },
  ],
  checks: [{ name: 'job_target_state_check', expression: "state in ('waiting', 'done', 'refused')" }],
});
