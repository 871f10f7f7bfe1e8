import type { Items } from '../items.ts';
import { countOf } from '../items.ts';
import type { Happened, Rules } from '../module/module.ts';
import type { petEvents } from './events.ts';
import { type Armed, autoFeedsOf, type EndedFeeding, type Pet, wholeCards } from './pet.ts';

type Events = typeof petEvents;
type EventOf<Type extends keyof Events> = Happened<Events, Type>;

/** A pet after an event. Uses no catalogue: the log alone gives the state, whatever the rules are now. */
export const evolvePet: Rules<Pet, Events, Record<never, never>>['evolve'] = {
  'pet-adopted': (_, event) => adopted(event),
  'pet-arrived': (_, event) => arrived(event),
  'pet-released': () => undefined,
  'feeding-started': (pet, event) => started(pet, event),
  'card-used': (pet, event) => cardUsed(pet, event),
  'feeding-completed': (pet, { totalXp }) => ({
    ...pet,
    xp: totalXp,
    feeding: undefined,
    lastFeeding: ended(pet, 'completed'),
  }),
  'feeding-stopped': (pet, event) => ({
    ...pet,
    feeding: undefined,
    lastFeeding: ended(pet, 'stopped'),
    armed: leftArmed(pet, event),
  }),
  'auto-feed-blocked': (pet, { at }) => ({ ...pet, blockedAtMs: at }),
  'auto-feed-disarmed': (pet, event) => disarmed(pet, event),
  'feeding-shifted': (pet, event) => worked(pet, event),
};

const adopted = (event: EventOf<'pet-adopted'>): Pet => ({
  petId: event.thing,
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
  petId: event.thing,
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

/** A chain without armed cards waits no longer. */
const disarmed = (pet: Pet, event: EventOf<'auto-feed-disarmed'>): Pet => {
  const armed = leftArmed(pet, event);
  return { ...pet, armed, blockedAtMs: armed.length > 0 ? pet.blockedAtMs : undefined };
};

interface TakenBack {
  readonly items?: Items;
  readonly autoFeeds?: number | undefined;
}

/** The armed cards that remain after the cards in `items` go back. */
const leftArmed = (pet: Pet, { items = {}, autoFeeds = 0 }: TakenBack): readonly Armed[] =>
  autoFeeds > 0 ? withoutCards(pet.armed, items) : [];

/** Removes the newest cards first. */
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
