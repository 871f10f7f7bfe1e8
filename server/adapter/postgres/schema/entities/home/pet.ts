import { EntitySchema } from 'typeorm';
import type { Armed, EndedFeeding } from '../../../../../../shared/home.ts';
import { wholeNumber } from '../bigint-columns.ts';

export interface PetRecord {
  readonly petId: string;
  readonly playerId: string;
  readonly adoptedSeq: number;
  readonly name: string;
  readonly species: string;
  readonly xp: number;
  readonly boostRate: number | null;
  readonly boostEndsAtMs: number | null;
  readonly armed: readonly Armed[];
  readonly blockedAtMs: number | null;
  readonly lastFeedingId: string | null;
  readonly lastFood: string | null;
  readonly lastWorkMs: number | null;
  readonly lastXp: number | null;
  readonly lastOutcome: EndedFeeding['outcome'] | null;
}

export const petEntity = new EntitySchema<PetRecord>({
  name: 'pet',
  columns: {
    petId: { type: 'text', name: 'pet_id', primary: true },
    playerId: { type: 'text', name: 'player_id' },
    adoptedSeq: { ...wholeNumber, name: 'adopted_seq' },
    name: { type: 'text' },
    species: { type: 'text' },
    xp: wholeNumber,
    boostRate: { type: 'integer', name: 'boost_rate', nullable: true },
    boostEndsAtMs: { ...wholeNumber, name: 'boost_ends_at', nullable: true },
    armed: { type: 'jsonb' },
    blockedAtMs: { ...wholeNumber, name: 'blocked_at', nullable: true },
    lastFeedingId: { type: 'text', name: 'last_feeding_id', nullable: true },
    lastFood: { type: 'text', name: 'last_food', nullable: true },
    lastWorkMs: { ...wholeNumber, name: 'last_work_ms', nullable: true },
    lastXp: { ...wholeNumber, name: 'last_xp', nullable: true },
    lastOutcome: { type: 'text', name: 'last_outcome', nullable: true },
  },
  indices: [
    { name: 'pet_player', columns: ['playerId'] },
    // An expression is not TypeORM's to know.
    { name: 'pet_name_prefix', columns: ['name'], synchronize: false },
  ],
  checks: [
    { name: 'pet_xp_check', expression: 'xp >= 0' },
    { name: 'pet_boost_rate_check', expression: 'boost_rate >= 2' },
    { name: 'pet_last_outcome_check', expression: "last_outcome in ('completed', 'stopped')" },
    { name: 'pet_boost_whole', expression: '(boost_rate is null) = (boost_ends_at is null)' },
    { name: 'pet_last_feeding_whole', expression: '(last_feeding_id is null) = (last_outcome is null)' },
  ],
});
