import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

export interface ItemRecord {
  readonly playerId: string;
  readonly item: string;
  readonly count: number;
}

export const itemEntity = new EntitySchema<ItemRecord>({
  name: 'item',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    item: { ...textId, primary: true },
    count: wholeNumber,
  },
  checks: [{ name: 'item_count_check', expression: 'count >= 0' }],
});
