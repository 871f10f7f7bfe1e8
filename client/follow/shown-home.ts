import type { HomeState, PetState } from '../../shared/home-state.ts';
import { seqOf } from '../../shared/ids.ts';

/** The home as the server last showed it: plain values that never change under their reader. */
export interface ShownHome {
  readonly playerId: string;
  readonly epoch: string;
  readonly seq: number;
  readonly items: Readonly<Record<string, number>>;
  /** In order of adoption. */
  readonly pets: readonly ShownPet[];
}

const petFields = [
  'id',
  'name',
  'species',
  'xp',
  'level',
  'feedingId',
  'food',
  'startedAt',
  'dueAt',
  'totalMs',
  'leftMs',
  'sinceAt',
  'boostRate',
  'boostEndsAt',
  'autoFeeds',
  'waitingFor',
] as const satisfies readonly (keyof ShownPet)[];

/** The fields of `PetState`: instants are epoch milliseconds. */
export interface ShownPet {
  readonly id: string;
  readonly name: string;
  readonly species: string;
  readonly xp: number;
  readonly level: number;
  readonly feedingId: string;
  readonly food: string;
  readonly startedAt: number;
  readonly dueAt: number;
  readonly totalMs: number;
  readonly leftMs: number;
  readonly sinceAt: number;
  readonly boostRate: number;
  readonly boostEndsAt: number;
  readonly autoFeeds: number;
  readonly waitingFor: string;
}

/** Copies the room's state, which the SDK goes on changing. */
export const shownHome = (state: HomeState): ShownHome => {
  const pets: ShownPet[] = [];
  state.pets.forEach((pet: PetState) => {
    pets.push(Object.fromEntries(petFields.map((field) => [field, pet[field]])) as unknown as ShownPet);
  });
  const items: Record<string, number> = {};
  state.items.forEach((count: number, item: string) => {
    items[item] = count;
  });
  const { playerId = '', epoch = '', seq = 0 } = state;
  return { playerId, epoch, seq, items, pets: pets.sort((a, b) => seqOf(a.id) - seqOf(b.id)) };
};
