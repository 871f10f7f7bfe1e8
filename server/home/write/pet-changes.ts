import type { HomeEvent } from '../../../shared/event.ts';
import type { Pet } from '../../../shared/home.ts';
import type { HomeChange } from '../model/home-store.ts';

export interface OwnedPet {
  readonly playerId: string;
  readonly pet: Pet;
}

/** Pets that are not what they were: states are never changed in place, so another object is another state. */
export const changedPets = (changes: readonly HomeChange[]): readonly OwnedPet[] =>
  changes.flatMap(({ before, after }) =>
    after.pets.filter((pet) => !before.pets.includes(pet)).map((pet) => ({ playerId: after.playerId, pet })),
  );

export const releasedPets = (changes: readonly HomeChange[]): readonly string[] =>
  changes.flatMap(({ events }) => events.flatMap(leaving));

const leaving = (event: HomeEvent): readonly string[] => {
  if (event.type === 'pet-released') return [event.petId];
  return event.type === 'home-merged' ? event.pets.map(({ petId }) => petId) : [];
};
