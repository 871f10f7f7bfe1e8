import { EntitySchema } from 'typeorm';
import { textId } from '../columns.ts';

export interface ErasedRecord {
  readonly playerHash: string;
  readonly lives: number;
}

export const erasedEntity = new EntitySchema<ErasedRecord>({
  name: 'erased',
  columns: {
    playerHash: { ...textId, name: 'player_hash', primary: true },
    lives: { type: 'integer' },
  },
  checks: [{ name: 'erased_lives_check', expression: 'lives > 0' }],
});
