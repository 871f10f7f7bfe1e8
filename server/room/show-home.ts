import type { Home } from '../../shared/home.ts';
import { type HomeState, PetState } from '../../shared/home-state.ts';
import { petsOf } from '../../shared/pets/pet.ts';
import { shownPet } from '../../shared/pets/shown-pet.ts';
import type { Show } from './session/session-options.ts';

/** Shows homes in `state`, never an older one over a newer one, whichever came last; `shown` is called after each. */
export const showIn =
  (state: HomeState, levels: readonly number[], shown: () => void = () => {}): Show =>
  (home, epoch = state.epoch) => {
    if (epoch === state.epoch && home.seq < state.seq) return;
    state.epoch = epoch;
    showHome(state, home, levels);
    shown();
  };

/** Writes a home into the state that clients see. Only what differs becomes part of the next patch. */
const showHome = (state: HomeState, home: Home, levels: readonly number[]): void => {
  state.playerId = home.playerId;
  state.seq = home.seq;
  for (const item of [...state.items.keys()]) if (!Object.hasOwn(home.items, item)) state.items.delete(item);
  for (const [item, count] of Object.entries(home.items)) {
    if (state.items.get(item) !== count) state.items.set(item, count);
  }
  const petIds = new Set(petsOf(home).map((pet) => pet.petId));
  for (const petId of [...state.pets.keys()]) if (!petIds.has(petId)) state.pets.delete(petId);
  for (const pet of petsOf(home)) {
    const shown = state.pets.get(pet.petId);
    if (shown) Object.assign(shown, shownPet(pet, levels));
    else state.pets.set(pet.petId, Object.assign(new PetState(), shownPet(pet, levels)));
  }
};
