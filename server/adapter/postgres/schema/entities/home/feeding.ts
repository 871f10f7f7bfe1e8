import { EntitySchema } from 'typeorm';
import type { EndedFeeding, Feeding } from '../../../../../../shared/home.ts';
import { wholeNumber } from '../bigint-columns.ts';

export interface FeedingRecord {
  readonly feedingId: string;
  readonly playerId: string;
  readonly petId: string;
  readonly state: 'running' | EndedFeeding['outcome'];
  readonly food: string;
  readonly fedBy: Feeding['by'];
  readonly workMs: number;
  readonly xp: number;
  readonly hasCards: boolean;
  readonly startedAtMs: number;
  readonly leftMs: number;
  readonly sinceAtMs: number;
  readonly endedAtMs: number | null;
}

export const feedingEntity = new EntitySchema<FeedingRecord>({
  name: 'feeding',
  columns: {
    feedingId: { type: 'text', name: 'feeding_id', primary: true },
    playerId: { type: 'text', name: 'player_id' },
    petId: { type: 'text', name: 'pet_id' },
    state: { type: 'text' },
    food: { type: 'text' },
    fedBy: { type: 'text', name: 'fed_by' },
    workMs: { ...wholeNumber, name: 'work_ms' },
    xp: wholeNumber,
    hasCards: { type: 'boolean', name: 'has_cards' },
    startedAtMs: { ...wholeNumber, name: 'started_at' },
    leftMs: { ...wholeNumber, name: 'left_ms' },
    sinceAtMs: { ...wholeNumber, name: 'since_at' },
    endedAtMs: { ...wholeNumber, name: 'ended_at', nullable: true },
  },
  indices: [
    { name: 'feeding_one_bowl', columns: ['petId'], unique: true, where: "state = 'running'" },
    { name: 'feeding_ended_at', columns: ['endedAtMs'], where: "state <> 'running'" },
  ],
  checks: [
    { name: 'feeding_state_check', expression: "state in ('running', 'completed', 'stopped')" },
    { name: 'feeding_fed_by_check', expression: "fed_by in ('hand', 'card')" },
    { name: 'feeding_work_ms_check', expression: 'work_ms > 0' },
    { name: 'feeding_xp_check', expression: 'xp >= 0' },
    { name: 'feeding_left_ms_check', expression: 'left_ms >= 0' },
    { name: 'feeding_ended', expression: "(state = 'running') = (ended_at is null)" },
  ],
});
