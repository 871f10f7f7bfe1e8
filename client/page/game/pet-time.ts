import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { type Boost, dueAtMs, isRunning, restate, type Work } from '../../../shared/work.ts';

/** `finishing`: the time is up, but the server has not confirmed it; the page itself never completes a feeding. */
export type PetPhase = 'idle' | 'eating' | 'finishing' | 'waiting';

export interface PetTime {
  readonly phase: PetPhase;
  /** Until the due time; 0 if there is none. */
  readonly leftMs: number;
  /** Share of the work that is eaten, 0 to 1. */
  readonly eaten: number;
  readonly isBoosted: boolean;
}

export const workOf = (pet: ShownPet): Work => ({ leftMs: pet.leftMs, sinceAtMs: pet.sinceAt });

export const boostOf = (pet: ShownPet): Boost | undefined =>
  pet.boostRate > 1 ? { rate: pet.boostRate, endsAtMs: pet.boostEndsAt } : undefined;

/** A pet's state at `nowMs` of the server's time, with the server's own arithmetic. */
export const petTime = (pet: ShownPet, nowMs: number): PetTime => {
  const boost = boostOf(pet);
  const isBoosted = isRunning(boost, nowMs);
  if (pet.food === '') {
    return { phase: pet.waitingFor === '' ? 'idle' : 'waiting', leftMs: 0, eaten: 0, isBoosted };
  }
  const { leftMs } = restate(workOf(pet), boost, Math.max(nowMs, pet.sinceAt));
  const left = Math.max(0, pet.dueAt - nowMs);
  return {
    phase: left > 0 ? 'eating' : 'finishing',
    leftMs: left,
    eaten: pet.totalMs > 0 ? Math.min(1, 1 - leftMs / pet.totalMs) : 1,
    isBoosted,
  };
};

/** The end of the whole chain of armed feedings, if its food is there and no other card is played. */
export const chainEndsAt = (pet: ShownPet, feedings: number): number => {
  const boost = boostOf(pet);
  let endsAt = pet.dueAt;
  for (let fed = 0; fed < feedings; fed += 1) endsAt = dueAtMs({ leftMs: pet.totalMs, sinceAtMs: endsAt }, boost);
  return endsAt;
};
