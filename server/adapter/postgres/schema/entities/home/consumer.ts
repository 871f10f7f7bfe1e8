import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

export interface ConsumerRecord {
  readonly name: string;
  readonly tx: number;
  readonly playerId: string;
  readonly seq: number;
}

export const consumerEntity = new EntitySchema<ConsumerRecord>({
  name: 'consumer',
  columns: {
    name: { ...textId, primary: true },
    tx: wholeNumber,
    playerId: { ...textId, name: 'player_id' },
    seq: wholeNumber,
  },
});
