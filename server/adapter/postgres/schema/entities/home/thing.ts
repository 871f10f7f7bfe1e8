import { EntitySchema } from 'typeorm';
import { LATEST_MS } from '../../../../../../shared/latest-ms.ts';
import { decimalId, textId, wholeNumber } from '../columns.ts';

export interface ThingRecord {
  readonly playerId: string;
  readonly module: string;
  readonly thingId: string;
  /** Of its timer. */
  readonly id: string;
  readonly version: number;
  readonly state: object;
  readonly title: string | null;
  /** Null: it has no timer now. */
  readonly dueAtMs: number | null;
  readonly dueSinceMs: number;
  readonly revision: number;
}

export const thingEntity = new EntitySchema<ThingRecord>({
  name: 'thing',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    module: { ...textId, primary: true },
    thingId: { ...textId, name: 'thing_id', primary: true },
    id: { ...decimalId, generated: 'increment' },
    version: { type: 'integer' },
    state: { type: 'jsonb' },
    title: { type: 'text', nullable: true },
    dueAtMs: { ...wholeNumber, name: 'due_at', nullable: true },
    dueSinceMs: { ...wholeNumber, name: 'due_since' },
    revision: { type: 'integer', default: 1 },
  },
  // An expression is not TypeORM's to know.
  indices: [
    { name: 'thing_title_prefix', columns: ['title'], synchronize: false },
    { name: 'thing_due', columns: ['dueAtMs', 'id'], where: 'due_at is not null' },
  ],
  checks: [
    { name: 'thing_version_check', expression: 'version > 0' },
    { name: 'thing_due_at_check', expression: `abs(due_at) < ${LATEST_MS}` },
  ],
});
