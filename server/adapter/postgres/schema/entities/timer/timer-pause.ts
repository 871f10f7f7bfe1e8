import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

export interface TimerPauseRecord {
  readonly kind: string;
  readonly pausedAtMs: number;
}

export const timerPauseEntity = new EntitySchema<TimerPauseRecord>({
  name: 'timer_pause',
  columns: {
    kind: { ...textId, primary: true },
    pausedAtMs: { ...wholeNumber, name: 'paused_at' },
  },
});
