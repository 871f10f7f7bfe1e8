import { EntitySchema } from 'typeorm';
import { wholeNumber } from '../bigint-columns.ts';

export interface TimerPauseRecord {
  readonly kind: string;
  readonly pausedAtMs: number;
}

export const timerPauseEntity = new EntitySchema<TimerPauseRecord>({
  name: 'timer_pause',
  columns: {
    kind: { type: 'text', primary: true },
    pausedAtMs: { ...wholeNumber, name: 'paused_at' },
  },
});
