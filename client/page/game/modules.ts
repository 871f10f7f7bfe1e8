import type { ThingOf } from '../../../shared/module/module.ts';
import type { Pets } from '../../../shared/pets/pets.ts';
import type { Works } from '../../../shared/works/works.ts';
import type { EventIn, ShownHome, ShownThing } from '../../follow/follow-home.ts';

/** The reference game's modules: pets, and a town if its rules have one. */
export type GameModules = readonly [Pets, Works<'town'>];

export type GameHome = ShownHome<GameModules>;
export type GameEvent = EventIn<GameModules>;
export type TownEvent = Extract<GameEvent, { readonly type: `town/${string}` }>;
/** Events of pets and of the home itself. */
export type PetsNews = Exclude<GameEvent, TownEvent>;
export type TownThing = ShownThing<ThingOf<Works<'town'>>>;

export const isOfPet = (event: GameEvent): event is Extract<GameEvent, { readonly petId: string }> => 'petId' in event;
export const isOfTown = (event: GameEvent): event is TownEvent => event.type.startsWith('town/');
