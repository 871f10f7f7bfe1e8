import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

export interface TimerCommandRecord {
  readonly id: string;
  readonly hash: string;
  readonly answer: unknown;
  readonly atMs: number;
}

export const timerCommandEntity = new EntitySchema<TimerCommandRecord>({
  name: 'timer_command',
  columns: {
    id: { ...textId, primary: true },
    hash: { type: 'text' },
    answer: { type: 'jsonb', nullable: true },
    atMs: { ...wholeNumber, name: 'at' },
  },
  indices: [{ name: 'timer_command_at', columns: ['atMs'] }],
});
