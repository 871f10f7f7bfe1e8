import { EntitySchema } from 'typeorm';
import { wholeNumber } from './bigint-columns.ts';

export interface HomeRecord {
  readonly playerId: string;
  readonly seq: number;
  readonly lastAtMs: number;
  /** Of the newest event. */
  readonly tx: number;
}

export const homeEntity = new EntitySchema<HomeRecord>({
  name: 'home',
  columns: {
    playerId: { type: 'text', name: 'player_id', primary: true },
    seq: wholeNumber,
    lastAtMs: { ...wholeNumber, name: 'last_at' },
    tx: wholeNumber,
  },
  checks: [
    { name: 'home_seq_check', expression: 'seq > 0' },
    { name: 'home_last_at_check', expression: 'last_at > 0' },
  ],
});
