import { EntitySchema } from 'typeorm';

export interface TimerIndexRecord {
  readonly singleton: number;
  readonly generation: number;
  readonly shards: number;
}

export const timerIndexEntity = new EntitySchema<TimerIndexRecord>({
  name: 'timer_index',
  columns: {
    singleton: { type: 'smallint', primary: true },
    generation: { type: 'integer' },
    shards: { type: 'integer' },
  },
  checks: [
    { name: 'timer_index_singleton_check', expression: 'singleton = 1' },
    { name: 'timer_index_shards_check', expression: 'shards between 1 and 1024' },
  ],
});
