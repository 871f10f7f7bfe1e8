import { EntitySchema } from 'typeorm';
import { wholeNumber } from '../bigint-columns.ts';

export interface ItemRecord {
  readonly playerId: string;
  readonly item: string;
  readonly count: number;
}

export const itemEntity = new EntitySchema<ItemRecord>({
  name: 'item',
  columns: {
    playerId: { type: 'text', name: 'player_id', primary: true },
    item: { type: 'text', primary: true },
    count: wholeNumber,
  },
  checks: [{ name: 'item_count_check', expression: 'count >= 0' }],
});
