import { EntitySchema } from 'typeorm';
import { decimalId, textId, wholeNumber } from '../columns.ts';

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
  /** Of the command's body: tells a repetition from a reuse of the id. */
  readonly hash: string;
  /** What a repetition returns. */
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
    atMs: { ...wholeNumber, name: 'at' },
    hash: { type: 'text' },
    answer: { type: 'jsonb', nullable: true },
  },
  indices: [
    { name: 'audit_command', columns: ['commandId', 'target'], unique: true },
    { name: 'audit_target', columns: ['target', 'id'] },
  ],
});
