import { EntitySchema } from 'typeorm';
import { wholeNumber } from '../bigint-columns.ts';

export interface TimerKindRecord {
  readonly kind: string;
  readonly registeredAtMs: number;
}

export const timerKindEntity = new EntitySchema<TimerKindRecord>({
  name: 'timer_kind',
  columns: {
    kind: { type: 'text', primary: true },
    registeredAtMs: { ...wholeNumber, name: 'registered_at' },
  },
});
