import { EntitySchema } from 'typeorm';

export interface EpochRecord {
  readonly isOne: boolean;
  readonly epoch: string;
}

export const epochEntity = new EntitySchema<EpochRecord>({
  name: 'epoch',
  columns: {
    isOne: { type: 'boolean', name: 'is_one', primary: true, default: true },
    epoch: { type: 'text' },
  },
  checks: [{ name: 'epoch_is_one_check', expression: 'is_one' }],
});
