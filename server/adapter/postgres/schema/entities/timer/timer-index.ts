import { EntitySchema } from 'typeorm';
import type { Generation } from '../../../../../timer/index/generation.ts';

export interface TimerIndexRecord {
  readonly singleton: number;
  readonly generation: number;
  readonly shards: number;
  readonly wantedShards: number | null;
  readonly pulse: number;
  readonly past: readonly Generation[];
}

export const timerIndexEntity = new EntitySchema<TimerIndexRecord>({
  name: 'timer_index',
  columns: {
    singleton: { type: 'smallint', primary: true },
    generation: { type: 'integer' },
    shards: { type: 'integer' },
    wantedShards: { type: 'integer', name: 'wanted_shards', nullable: true },
    pulse: { type: 'integer', default: 0 },
    past: { type: 'jsonb', default: [] },
  },
  checks: [
    { name: 'timer_index_singleton_check', expression: 'singleton = 1' },
    { name: 'timer_index_shards_check', expression: 'shards between 1 and 1024' },
    { name: 'timer_index_wanted_shards_check', expression: 'wanted_shards between 1 and 1024' },
  ],
});
