import { EntitySchema } from 'typeorm';

export interface TimerIndexRecord {
  readonly singleton: number;
  readonly generation: number;
  readonly shards: number;
  readonly wanted_shards: number | null;
  readonly pulse: number;
  readonly past: unknown;
}

export const timerIndexEntity = new EntitySchema<TimerIndexRecord>({
  name: 'timer_index',
  columns: {
    singleton: { type: 'smallint', primary: true },
    generation: { type: 'integer' },
    shards: { type: 'integer' },
    wanted_shards: { type: 'integer', nullable: true },
    pulse: { type: 'integer', default: 0 },
    past: { type: 'jsonb', default: [] },
  },
  checks: [
    { name: 'timer_index_singleton_check', expression: 'singleton = 1' },
    { name: 'timer_index_shards_check', expression: 'shards between 1 and 1024' },
    { name: 'timer_index_wanted_shards_check', expression: 'wanted_shards between 1 and 1024' },
  ],
});
