import { type Home, thingsOf } from '../../shared/home.ts';
import { type HomeState, PetState } from '../../shared/home-state.ts';
import { levelOf } from '../../shared/pets/catalogue.ts';
import { petsOf } from '../../shared/pets/pet.ts';
import { shownPet } from '../../shared/pets/shown-pet.ts';
import type { ToldThing } from '../../shared/protocol.ts';
import { thingDueAt } from '../domain/due-of.ts';
import { unlessFault } from '../domain/module-fault.ts';
import type { LoadedModule, Modules } from '../domain/modules.ts';
import type { Describe, Show } from './session/session-options.ts';

/** Shows homes in `state`, but never an older one over a newer one; `shown` is called after each. */
export const showIn = (
  state: HomeState,
  rules: { readonly levels: readonly number[] },
  shown: () => void = () => {},
): Show => {
  /** The newest commit before a look has named the epoch, which commits do not: the home of that look may be older. */
  let early: Home | undefined;
  return (home, epoch = state.epoch) => {
    const isEarly = !epoch;
    // Without events: the player was erased, and what was shown belongs to an ended life.
    if (isEarly && (home.seq === 0 || home.seq >= (early?.seq ?? 0))) early = home;
    const newest = early && early.seq > home.seq ? early : home;
    if (!isEarly) early = undefined;
    if (epoch === state.epoch && newest.seq < state.seq) return;
    state.epoch = epoch;
    showHome(state, newest, rules.levels);
    shown();
  };
};

/** After new rules: a level is a view of xp. Returns whether any is another. */
export const showLevels = ({ pets }: HomeState, { levels }: { readonly levels: readonly number[] }): boolean => {
  const changed = [...pets.values()].filter((pet) => pet.level !== levelOf(levels, pet.xp));
  for (const pet of changed) pet.level = levelOf(levels, pet.xp);
  return changed.length > 0;
};

/** Writes a home into the state for clients. Only differences enter the next patch. */
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

/** Describes things for clients, by these modules. */
export const describeThings =
  (modules: Modules): Describe =>
  (home, keys) =>
    keys
      ? keys.flatMap(({ module, id }) => toldThing(modules.named(module), home, id))
      : modules.all.flatMap((module) =>
          Object.keys(thingsOf(home, module.name)).flatMap((id) => toldThing(module, home, id)),
        );

const toldThing = (module: LoadedModule | undefined, home: Home, id: string): readonly ToldThing[] => {
  const things = module ? thingsOf(home, module.name) : {};
  const thing = Object.hasOwn(things, id) ? things[id] : undefined;
  if (!module || !thing) return [];
  const { name, version } = module;
  const dueAt = unlessFault(() => thingDueAt(module, id, thing)) ?? 0;
  return [{ module: name, id, version, dueAt, state: thing as ToldThing['state'] }];
};
