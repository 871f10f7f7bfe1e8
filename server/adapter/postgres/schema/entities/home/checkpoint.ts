import { EntitySchema } from 'typeorm';
import type { Home } from '../../../../../../shared/home.ts';
import { textId, wholeNumber } from '../columns.ts';

/** A home as a checkpoint keeps it: with the version in which each module's things are written. */
export interface KeptHome extends Home {
  readonly versions: Readonly<Record<string, number>>;
}

export interface CheckpointRecord {
  readonly playerId: string;
  readonly seq: number;
  readonly home: KeptHome;
}

export const checkpointEntity = new EntitySchema<CheckpointRecord>({
  name: 'checkpoint',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    seq: wholeNumber,
    home: { type: 'jsonb' },
  },
  checks: [{ name: 'checkpoint_seq_check', expression: 'seq > 0' }],
});
