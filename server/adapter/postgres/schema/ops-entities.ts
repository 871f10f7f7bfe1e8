import { EntitySchema } from 'typeorm';
import type { Generation } from '../../../timer/index/generation.ts';
import { bigintNumber, decimalId, textId } from './columns.ts';

export interface AuditRecord {
  readonly id: string;
  readonly commandId: string;
  readonly target: string;
  readonly actor: string;
  readonly action: string;
  readonly reason: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly atMs: number;
  /** The hash of the command's body: it distinguishes a repetition from a reuse of the id. */
  readonly hash: string;
  /** The result for a repetition. */
  readonly answer: unknown;
}

export const auditEntity = new EntitySchema<AuditRecord>({
  name: 'audit',
  columns: {
    id: { ...decimalId, primary: true, generated: 'increment' },
    commandId: { ...textId, name: 'command_id' },
    target: textId,
    actor: { type: 'text' },
    action: { type: 'text' },
    reason: { type: 'text' },
    before: { type: 'jsonb', nullable: true },
    after: { type: 'jsonb', nullable: true },
    atMs: { ...bigintNumber, name: 'at' },
    hash: { type: 'text' },
    answer: { type: 'jsonb', nullable: true },
  },
  indices: [
    { name: 'audit_command', columns: ['commandId', 'target'], unique: true },
    { name: 'audit_target', columns: ['target', 'id'] },
  ],
});

export interface JobRecord {
  readonly jobId: string;
  readonly actor: string;
  readonly reason: string;
  readonly items: Readonly<Record<string, number>>;
  readonly state: 'running' | 'stopped' | 'done';
  readonly perSecond: number;
  readonly total: number;
  readonly done: number;
  /** By code. */
  readonly refusals: Readonly<Record<string, number>>;
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
    total: { type: 'integer', default: 0 },
    done: { type: 'integer', default: 0 },
    refusals: { type: 'jsonb', default: {} },
    createdAtMs: { ...bigintNumber, name: 'created_at' },
    updatedAtMs: { ...bigintNumber, name: 'updated_at' },
  },
  checks: [{ name: 'job_state_check', expression: "state in ('running', 'stopped', 'done')" }],
});

export interface JobTargetRecord {
  readonly jobId: string;
  readonly playerId: string;
  readonly state: 'waiting' | 'done' | 'refused';
  /** The code of the refusal. */
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

export interface TimerIndexRecord {
  readonly singleton: number;
  readonly generation: number;
  readonly shards: number;
  readonly wantedShards: number | null;
  readonly pulse: number;
  readonly past: readonly Generation[];
}

export const timerIndexEntity = new EntitySchema<TimerIndexRecord>({
  name: 'timer_index',
  columns: {
    singleton: { type: 'smallint', primary: true },
    generation: { type: 'integer' },
    shards: { type: 'integer' },
    wantedShards: { type: 'integer', name: 'wanted_shards', nullable: true },
    pulse: { type: 'integer', default: 0 },
    past: { type: 'jsonb', default: [] },
  },
  checks: [
    { name: 'timer_index_singleton_check', expression: 'singleton = 1' },
    { name: 'timer_index_shards_check', expression: 'shards between 1 and 1024' },
    { name: 'timer_index_wanted_shards_check', expression: 'wanted_shards between 1 and 1024' },
  ],
});
