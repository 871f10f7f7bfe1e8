import { dueOf, feedingIdOf, type PetDraft } from './feeding.ts';
import type { Pet } from './pet.ts';

/**
 * A pet of a home that is merged into this one. It and what it eats get new ids. The limit of pets is not asked: nobody
 * should have to choose whom to leave behind.
 */
export const arrivedPet = (
  pet: Pet,
  { petId, playerId, seq }: { readonly petId: string; readonly playerId: string; readonly seq: number },
): PetDraft => ({
  type: 'pet-arrived',
  thing: petId,
  from: pet.petId,
  name: pet.name,
  species: pet.species,
  xp: pet.xp,
  armed: [...pet.armed],
  ...(pet.feeding && {
    feeding: {
      feedingId: feedingIdOf(playerId, seq),
      food: pet.feeding.food,
      workMs: pet.feeding.workMs,
      xp: pet.feeding.xp,
      by: pet.feeding.by,
      startedAt: pet.feeding.startedAtMs,
      leftMs: pet.feeding.work.leftMs,
      sinceAt: pet.feeding.work.sinceAtMs,
      hasCards: pet.feeding.hasCards,
      dueAt: dueOf(pet) ?? 0,
    },
  }),
  ...(pet.lastFeeding && { lastFeeding: pet.lastFeeding }),
  ...(pet.boost && { boost: { rate: pet.boost.rate, endsAt: pet.boost.endsAtMs } }),
  ...(pet.blockedAtMs !== undefined && { blockedAt: pet.blockedAtMs }),
});
