import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

/** A home that the sweeper leaves alone for a while. */
export interface HomeHoldRecord {
  readonly playerId: string;
  readonly untilMs: number;
  readonly attempt: number;
  readonly lastError: string | null;
  readonly updatedAtMs: number;
}

export const homeHoldEntity = new EntitySchema<HomeHoldRecord>({
  name: 'home_hold',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    untilMs: { ...wholeNumber, name: 'until_at' },
    attempt: { type: 'integer' },
    lastError: { type: 'text', name: 'last_error', nullable: true },
    updatedAtMs: { ...wholeNumber, name: 'updated_at' },
  },
});
