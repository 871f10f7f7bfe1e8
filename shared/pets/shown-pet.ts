import { seqOf } from '../ids.ts';
import { dueAtMs } from '../work.ts';
import { levelOf } from './catalogue.ts';
import type { Pet } from './pet.ts';

/** A pet for display: flat, for any engine. Instants are epoch milliseconds. */
export interface ShownPet {
  readonly id: string;
  readonly name: string;
  readonly species: string;
  readonly xp: number;
  readonly level: number;
  /** "" while the pet is not eating; the same for `food`. */
  readonly feedingId: string;
  readonly food: string;
  readonly startedAt: number;
  /** 0: no due time. */
  readonly dueAt: number;
  readonly totalMs: number;
  /** Work left as of `sinceAt`. */
  readonly leftMs: number;
  readonly sinceAt: number;
  /** 1 without a boost; it lasts until `boostEndsAt`. */
  readonly boostRate: number;
  readonly boostEndsAt: number;
  readonly autoFeeds: number;
  /** The food that a blocked chain needs. */
  readonly waitingFor: string;
}

export const shownPet = (pet: Pet, levels: readonly number[]): ShownPet => ({
  id: pet.petId,
  name: pet.name,
  species: pet.species,
  xp: pet.xp,
  level: levelOf(levels, pet.xp),
  feedingId: pet.feeding?.feedingId ?? '',
  food: pet.feeding?.food ?? '',
  startedAt: pet.feeding?.startedAtMs ?? 0,
  dueAt: pet.feeding ? dueAtMs(pet.feeding.work, pet.boost) : 0,
  totalMs: pet.feeding?.workMs ?? 0,
  leftMs: pet.feeding?.work.leftMs ?? 0,
  sinceAt: pet.feeding?.work.sinceAtMs ?? 0,
  boostRate: pet.boost?.rate ?? 1,
  boostEndsAt: pet.boost?.endsAtMs ?? 0,
  autoFeeds: pet.armed.reduce((sum, { left }) => sum + left, 0),
  waitingFor: pet.blockedAtMs === undefined ? '' : (pet.lastFeeding?.food ?? ''),
});

/** Pets from the things in `home:things`, in order of adoption. */
export const shownPets = (
  told: Readonly<Record<string, { readonly state: Pet } | undefined>> | undefined,
  levels: readonly number[],
): readonly ShownPet[] =>
  Object.values(told ?? {})
    .flatMap((thing) => (thing ? [shownPet(thing.state, levels)] : []))
    .sort((one, other) => seqOf(one.id) - seqOf(other.id));
