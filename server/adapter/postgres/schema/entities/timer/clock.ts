import { EntitySchema } from 'typeorm';
import { wholeNumber } from '../columns.ts';

export interface ClockRow {
  readonly singleton: number;
  readonly trustedAtMs: number;
  readonly heldByMs: number;
}

export const clockEntity = new EntitySchema<ClockRow>({
  name: 'clock',
  columns: {
    singleton: { type: 'smallint', primary: true },
    trustedAtMs: { ...wholeNumber, name: 'trusted_at' },
    heldByMs: { ...wholeNumber, name: 'held_by_ms' },
  },
  checks: [{ name: 'clock_singleton_check', expression: 'singleton = 1' }],
});
