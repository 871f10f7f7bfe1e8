import type { Items } from './catalogue.ts';
import type { EventOf, HomeEvent } from './event.ts';
import {
  type Armed,
  addItems,
  autoFeedsOf,
  countOf,
  type EndedFeeding,
  type Home,
  type Pet,
  wholeCards,
} from './home.ts';

/**
 * The home after the event. Reads no catalogue: the log alone gives the state, whatever the rules have become since.
 * What an event did to the stock is in its `items`.
 */
export const evolve = (home: Home, event: HomeEvent): Home => ({
  ...evolveFrozen(home, event),
  seq: event.seq,
  lastAtMs: event.at,
  items: 'items' in event && event.items ? addItems(home.items, event.items) : home.items,
  pets: evolvePets(home.pets, event),
});

export const fold = (home: Home, events: Iterable<HomeEvent>): Home => {
  let folded = home;
  for (const event of events) folded = evolve(folded, event);
  return folded;
};

const evolveFrozen = (home: Home, event: HomeEvent): Home => {
  if (event.type === 'player-frozen' || event.type === 'home-merged') return { ...home, frozenAtMs: event.at };
  if (event.type !== 'player-unfrozen') return home;
  const { frozenAtMs: _, ...free } = home;
  return free;
};

const evolvePets = (pets: readonly Pet[], event: HomeEvent): readonly Pet[] => {
  switch (event.type) {
    case 'items-granted':
    case 'player-frozen':
    case 'player-unfrozen':
    case 'home-received':
      return pets;
    case 'home-merged':
      return [];
    case 'pet-arrived':
      return [...pets, arrived(event)];
    case 'pet-adopted':
      return [...pets, adopted(event)];
    case 'pet-released':
      return pets.filter((pet) => pet.petId !== event.petId);
    default:
      return pets.map((pet) => (pet.petId === event.petId ? evolvePet(pet, event) : pet));
  }
};

type PetEvent = Extract<
  HomeEvent,
  {
    type:
      | 'feeding-started'
      | 'card-used'
      | 'feeding-completed'
      | 'feeding-stopped'
      | 'auto-feed-blocked'
      | 'auto-feed-disarmed'
      | 'feeding-shifted';
  }
>;

const evolvePet = (pet: Pet, event: PetEvent): Pet => {
  switch (event.type) {
    case 'feeding-started':
      return started(pet, event);
    case 'card-used':
      return cardUsed(pet, event);
    case 'feeding-completed':
      return { ...pet, xp: event.totalXp, feeding: undefined, lastFeeding: ended(pet, 'completed') };
    case 'feeding-stopped':
      return { ...pet, feeding: undefined, lastFeeding: ended(pet, 'stopped'), armed: leftArmed(pet, event) };
    case 'auto-feed-blocked':
      return { ...pet, blockedAtMs: event.at };
    case 'auto-feed-disarmed':
      return disarmed(pet, event);
    case 'feeding-shifted':
      return worked(pet, event);
    default:
      return event satisfies never;
  }
};

const adopted = (event: EventOf<'pet-adopted'>): Pet => ({
  petId: event.petId,
  name: event.name,
  species: event.species,
  xp: 0,
  feeding: undefined,
  lastFeeding: undefined,
  boost: undefined,
  armed: [],
  blockedAtMs: undefined,
});

const arrived = (event: EventOf<'pet-arrived'>): Pet => ({
  petId: event.petId,
  name: event.name,
  species: event.species,
  xp: event.xp,
  feeding: event.feeding && {
    feedingId: event.feeding.feedingId,
    food: event.feeding.food,
    workMs: event.feeding.workMs,
    xp: event.feeding.xp,
    by: event.feeding.by,
    startedAtMs: event.feeding.startedAt,
    work: { leftMs: event.feeding.leftMs, sinceAtMs: event.feeding.sinceAt },
    hasCards: event.feeding.hasCards,
  },
  lastFeeding: event.lastFeeding,
  boost: event.boost && { rate: event.boost.rate, endsAtMs: event.boost.endsAt },
  armed: event.armed,
  blockedAtMs: event.blockedAt,
});

const started = (pet: Pet, event: EventOf<'feeding-started'>): Pet => ({
  ...pet,
  feeding: {
    feedingId: event.feedingId,
    food: event.food,
    workMs: event.workMs,
    xp: event.xp,
    by: event.by,
    startedAtMs: event.at,
    work: { leftMs: event.workMs, sinceAtMs: event.at },
    hasCards: false,
  },
  armed: event.by === 'card' ? withoutFirst(pet.armed) : pet.armed,
  blockedAtMs: undefined,
});

const ended = (pet: Pet, outcome: EndedFeeding['outcome']): EndedFeeding | undefined =>
  pet.feeding && {
    feedingId: pet.feeding.feedingId,
    food: pet.feeding.food,
    workMs: pet.feeding.workMs,
    xp: pet.feeding.xp,
    outcome,
  };

const cardUsed = (pet: Pet, event: EventOf<'card-used'>): Pet => {
  const played = worked(pet, event);
  const feeding = played.feeding && { ...played.feeding, hasCards: true };
  switch (event.effect) {
    case 'cut':
      return { ...played, feeding };
    case 'rate':
      return { ...played, feeding, boost: { rate: event.boostRate ?? 1, endsAtMs: event.boostEndsAt ?? event.at } };
    case 'repeat': {
      const left = (event.autoFeeds ?? 0) - autoFeedsOf(pet);
      return { ...played, feeding, armed: [...pet.armed, { card: event.card, times: left / event.count, left }] };
    }
    default:
      return event.effect satisfies never;
  }
};

const worked = (pet: Pet, event: { readonly workLeftMs: number; readonly at: number }): Pet => ({
  ...pet,
  feeding: pet.feeding && { ...pet.feeding, work: { leftMs: event.workLeftMs, sinceAtMs: event.at } },
});

const withoutFirst = (armed: readonly Armed[]): readonly Armed[] => {
  const [first, ...rest] = armed;
  if (!first) return armed;
  return first.left > 1 ? [{ ...first, left: first.left - 1 }, ...rest] : rest;
};

/** A chain that nothing is left of waits no more. */
const disarmed = (pet: Pet, event: EventOf<'auto-feed-disarmed'>): Pet => {
  const armed = event.autoFeeds === undefined ? wholeLeft(pet, event.items) : leftArmed(pet, event);
  return { ...pet, armed, blockedAtMs: armed.length > 0 ? pet.blockedAtMs : undefined };
};

interface TakenBack {
  readonly items: Items;
  readonly autoFeeds?: number | undefined;
}

/** What stays armed when the cards among `items` go back. */
const leftArmed = (pet: Pet, { items, autoFeeds = 0 }: TakenBack): readonly Armed[] =>
  autoFeeds > 0 ? withoutCards(pet.armed, items) : [];

/** Events of before `autoFeeds` was written: without a whole card left, a chain that was used in part ended as well. */
const wholeLeft = (pet: Pet, items: Items): readonly Armed[] => {
  const left = withoutCards(pet.armed, items);
  return left.some((stack) => wholeCards(stack) > 0) ? left : [];
};

/** The newest cards go first. */
const withoutCards = (armed: readonly Armed[], items: Items): readonly Armed[] => {
  const returning: Record<string, number> = { ...items };
  const kept: Armed[] = [];
  for (const stack of armed.toReversed()) {
    const cards = Math.min(countOf(returning, stack.card), wholeCards(stack));
    returning[stack.card] = countOf(returning, stack.card) - cards;
    const left = stack.left - cards * stack.times;
    if (left > 0) kept.unshift({ ...stack, left });
  }
  return kept;
};
