import { addItems, type Items } from '../../../shared/items.ts';
import { levelOf } from '../../../shared/pets/catalogue.ts';
import { type GameEvent, isOfPet, isOfTown, type TownEvent } from './modules.ts';

/** The events of one pet while the player was away. */
export interface AwayPet {
  readonly petId: string;
  readonly meals: number;
  readonly autoFed: number;
  readonly xp: number;
  /** The level that it reached; undefined: still the same. */
  readonly level: number | undefined;
  /** The food that its chain waits for now. */
  readonly waitingFor: string | undefined;
  readonly isGone: boolean;
}

/** The finished work of one thing of the town meanwhile. */
export interface AwayThing {
  readonly thing: string;
  /** Activity -> how often. */
  readonly times: Readonly<Record<string, number>>;
  /** The level that it reached; undefined: still the same. */
  readonly level: number | undefined;
  /** The items that it gave, without those still to be collected. */
  readonly items: Items;
}

export interface AwaySummary {
  readonly pets: readonly AwayPet[];
  readonly things: readonly AwayThing[];
  /** Gifts to the player, without items from play. */
  readonly gifts: Readonly<Record<string, number>>;
  readonly lastAt: number;
}

type Draft = { -readonly [Field in keyof AwayPet]: AwayPet[Field] };

/** Sums up missed events, in order; undefined if there is nothing worth telling. */
export const summarize = (events: readonly GameEvent[], levels: readonly number[]): AwaySummary | undefined => {
  const pets = new Map<string, Draft>();
  const things = new Map<string, AwayThing>();
  const gifts: Record<string, number> = {};
  const draft = (petId: string): Draft => {
    const known = pets.get(petId) ?? blank(petId);
    pets.set(petId, known);
    return known;
  };
  for (const event of events) {
    if (event.type === 'items-granted') {
      if (event.reason === STARTER) continue;
      for (const [item, count] of Object.entries(event.items)) gifts[item] = (gifts[item] ?? 0) + count;
    } else if (isOfPet(event)) note(draft(event.petId), event, levels);
    else if (isOfTown(event) && event.type === 'town/finished') {
      things.set(event.thing, finished(things.get(event.thing), event));
    }
  }
  const told = [...pets.values()].filter((pet) => pet.meals > 0 || pet.waitingFor !== undefined || pet.isGone);
  const hasGifts = Object.values(gifts).some((count) => count !== 0);
  return told.length > 0 || things.size > 0 || hasGifts
    ? { pets: told, things: [...things.values()], gifts, lastAt: events.at(-1)?.at ?? 0 }
    : undefined;
};

/** The reason of the items that every home begins with. */
const STARTER = 'starter';

const blank = (petId: string): Draft => ({
  petId,
  meals: 0,
  autoFed: 0,
  xp: 0,
  level: undefined,
  waitingFor: undefined,
  isGone: false,
});

const finished = (
  known: AwayThing | undefined,
  { thing, activity, level, items = {} }: Extract<TownEvent, { readonly type: 'town/finished' }>,
): AwayThing => ({
  thing,
  times: { ...known?.times, [activity]: (known?.times[activity] ?? 0) + 1 },
  level: level ?? known?.level,
  items: addItems(known?.items ?? {}, items),
});

const note = (pet: Draft, event: Extract<GameEvent, { readonly petId: string }>, levels: readonly number[]): void => {
  switch (event.type) {
    case 'feeding-completed':
      pet.meals += 1;
      pet.xp += event.xp;
      if (levelOf(levels, event.totalXp) > levelOf(levels, event.totalXp - event.xp)) {
        pet.level = levelOf(levels, event.totalXp);
      }
      break;
    case 'feeding-started':
      if (event.by === 'card') pet.autoFed += 1;
      pet.waitingFor = undefined;
      break;
    case 'auto-feed-blocked':
      pet.waitingFor = event.food;
      break;
    case 'auto-feed-disarmed':
      if (!event.autoFeeds) pet.waitingFor = undefined;
      break;
    case 'pet-released':
      pet.isGone = true;
      break;
    default:
      break;
  }
};
