import { EntitySchema } from 'typeorm';

export interface ErasedRecord {
  readonly playerHash: string;
  readonly lives: number;
}

export const erasedEntity = new EntitySchema<ErasedRecord>({
  name: 'erased',
  columns: {
    playerHash: { type: 'text', name: 'player_hash', primary: true },
    lives: { type: 'integer' },
  },
  checks: [{ name: 'erased_lives_check', expression: 'lives > 0' }],
});
