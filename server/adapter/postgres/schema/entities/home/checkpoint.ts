import { EntitySchema } from 'typeorm';
import type { Home } from '../../../../../../shared/home.ts';
import { wholeNumber } from '../bigint-columns.ts';

export interface CheckpointRecord {
  readonly playerId: string;
  readonly seq: number;
  readonly home: Home;
}

export const checkpointEntity = new EntitySchema<CheckpointRecord>({
  name: 'checkpoint',
  columns: {
    playerId: { type: 'text', name: 'player_id', primary: true },
    seq: wholeNumber,
    home: { type: 'jsonb' },
  },
  checks: [{ name: 'checkpoint_seq_check', expression: 'seq > 0' }],
});
