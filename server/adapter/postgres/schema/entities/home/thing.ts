import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

export interface ThingRecord {
  readonly playerId: string;
  readonly module: string;
  readonly thingId: string;
  readonly version: number;
  readonly state: object;
  readonly title: string | null;
  /** Time of its timer. */
  readonly dueAtMs: number | null;
}

export const thingEntity = new EntitySchema<ThingRecord>({
  name: 'thing',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    module: { ...textId, primary: true },
    thingId: { ...textId, name: 'thing_id', primary: true },
    version: { type: 'integer' },
    state: { type: 'jsonb' },
    title: { type: 'text', nullable: true },
    dueAtMs: { ...wholeNumber, name: 'due_at', nullable: true },
  },
  // An expression is not TypeORM's to know.
  indices: [{ name: 'thing_title_prefix', columns: ['title'], synchronize: false }],
  checks: [{ name: 'thing_version_check', expression: 'version > 0' }],
});
