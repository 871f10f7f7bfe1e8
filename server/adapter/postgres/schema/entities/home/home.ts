import { EntitySchema } from 'typeorm';
import type { Items } from '../../../../../../shared/items.ts';
import { textId, wholeNumber } from '../columns.ts';

export interface HomeRecord {
  readonly playerId: string;
  readonly seq: number;
  readonly lastAtMs: number;
  /** Of the newest event. */
  readonly tx: number;
  readonly frozenAtMs: number | null;
  /** How often this player's id was erased before. */
  readonly life: number;
  /** Modules that gave the player what one begins with. */
  readonly opened: readonly string[];
  /** The stock; empty where a game has its own inventory. */
  readonly items: Items;
}

export const homeEntity = new EntitySchema<HomeRecord>({
  name: 'home',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    seq: wholeNumber,
    lastAtMs: { ...wholeNumber, name: 'last_at' },
    tx: wholeNumber,
    frozenAtMs: { ...wholeNumber, name: 'frozen_at', nullable: true },
    life: { type: 'integer', default: 0 },
    opened: { type: 'text', array: true },
    items: { type: 'jsonb', default: {} },
  },
  checks: [
    { name: 'home_seq_check', expression: 'seq > 0' },
    { name: 'home_last_at_check', expression: 'last_at > 0' },
    { name: 'home_items_whole', expression: "not items @? '$.* ? (@ < 0)'" },
  ],
});
