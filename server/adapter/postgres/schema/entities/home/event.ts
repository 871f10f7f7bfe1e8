import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

export interface EventRecord {
  readonly playerId: string;
  readonly seq: number;
  readonly atMs: number;
  /** The reading of the clock that the batch was given. */
  readonly readAtMs: number;
  readonly type: string;
  readonly body: object;
  readonly commandId: string | null;
  readonly commandHash: string | null;
  readonly answerSeq: number | null;
  /** Orders the log of all players: see ADR 30. */
  readonly tx: number;
}

export const eventEntity = new EntitySchema<EventRecord>({
  name: 'event',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    seq: { ...wholeNumber, primary: true },
    atMs: { ...wholeNumber, name: 'at' },
    readAtMs: { ...wholeNumber, name: 'read_at' },
    type: { type: 'text' },
    body: { type: 'jsonb' },
    commandId: { ...textId, name: 'command_id', nullable: true },
    commandHash: { type: 'text', name: 'command_hash', nullable: true },
    answerSeq: { ...wholeNumber, name: 'answer_seq', nullable: true },
    tx: wholeNumber,
  },
  indices: [
    { name: 'event_command', columns: ['playerId', 'commandId'], unique: true, where: 'command_id is not null' },
    { name: 'event_order', columns: ['tx', 'playerId', 'seq'] },
  ],
  checks: [
    { name: 'event_seq_check', expression: 'seq > 0' },
    { name: 'event_command_hashed', expression: '(command_id is null) = (command_hash is null)' },
    { name: 'event_command_answered', expression: '(command_id is null) = (answer_seq is null)' },
  ],
});
