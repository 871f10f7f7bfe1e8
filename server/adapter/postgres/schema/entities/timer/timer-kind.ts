import { EntitySchema } from 'typeorm';
import { textId, wholeNumber } from '../columns.ts';

export interface TimerKindRecord {
  readonly kind: string;
  readonly registeredAtMs: number;
  /** How long finished timers of the kind stay; null: the default. */
  readonly retentionMs: number | null;
  /** Whose things' timers they are; null: timers of the game's own. */
  readonly module: string | null;
  readonly isRetired: boolean;
}

export const timerKindEntity = new EntitySchema<TimerKindRecord>({
  name: 'timer_kind',
  columns: {
    kind: { ...textId, primary: true },
    registeredAtMs: { ...wholeNumber, name: 'registered_at' },
    retentionMs: { ...wholeNumber, name: 'retention_ms', nullable: true },
    module: { ...textId, nullable: true },
    isRetired: { type: 'boolean', name: 'is_retired', default: false },
  },
});
