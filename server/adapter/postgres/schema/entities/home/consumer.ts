import { EntitySchema } from 'typeorm';
import { wholeNumber } from '../bigint-columns.ts';

export interface ConsumerRecord {
  readonly name: string;
  readonly tx: number;
  readonly playerId: string;
  readonly seq: number;
}

export const consumerEntity = new EntitySchema<ConsumerRecord>({
  name: 'consumer',
  columns: {
    name: { type: 'text', primary: true },
    tx: wholeNumber,
    playerId: { type: 'text', name: 'player_id' },
    seq: wholeNumber,
  },
});
