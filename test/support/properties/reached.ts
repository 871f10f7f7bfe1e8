import { countOf } from '../../../shared/items.ts';
import type { PetEventOf as EventOf, PetsEventType } from '../../../shared/pets/events.ts';
import { petsOf, wholeCards } from '../../../shared/pets/pet.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';
import type { Played, Turn } from '../../../testing/play.ts';

/** The cases that a history can reach. A law says nothing about cases that its histories never reach. */
export type Place =
  | 'chain of two or more'
  | 'blocked chain'
  | 'blocked chain started by a grant'
  | 'blocked pet fed by hand'
  | 'several blocked pets, food for some'
  | 'boost spilling into the next feeding'
  | 'cut ending a feeding'
  | 'cut inside a boost'
  | 'undo'
  | 'stop after the undo time'
  | 'disarm'
  | 'disarm that leaves a partly used card'
  | 'disarm of nothing but a partly used card'
  | 'stop that leaves a partly used card'
  | 'release while eating'
  | 'two pets due at one instant'
  | 'card at exactly the due time'
  | 'several cards at once'
  | 'two feedings of a pet settled in one look'
  | 'card that would waste too much'
  | 'boost that would last too long';

const isOf = <Type extends PetsEventType>(event: HomeEvent, type: Type): event is EventOf<Type> & HomeEvent =>
  event.type === type;

/** Which places a played history reached. */
export const placesOf = (played: Played): ReadonlySet<Place> => {
  const places = new Set<Place>();
  for (const turn of played.turns) for (const place of placesOfTurn(turn)) places.add(place);
  const { log } = played;
  for (const [at, event] of log.entries()) {
    const next = log[at + 1];
    if (isOf(event, 'auto-feed-blocked')) places.add('blocked chain');
    if (isOf(event, 'auto-feed-disarmed')) places.add('disarm');
    if (isOf(event, 'feeding-stopped') && event.autoFeeds) places.add('stop that leaves a partly used card');
    if (event.type !== 'feeding-completed' || !next) continue;
    const others = log.filter(
      (other) => other.type === 'feeding-completed' && other.at === event.at && other !== event,
    );
    if (others.length > 0) places.add('two pets due at one instant');
  }
  if (hasChain(log)) places.add('chain of two or more');
  return places;
};

const placesOfTurn = ({ before, command, judgement, nowMs }: Turn): readonly Place[] => {
  const { settled, decision } = judgement;
  const places: Place[] = [];
  const add = (isReached: boolean, place: Place): void => {
    if (isReached) places.push(place);
  };
  const completed = settled.filter((event) => event.type === 'feeding-completed');
  add(
    new Set(completed.map((event) => event.petId)).size < completed.length,
    'two feedings of a pet settled in one look',
  );
  if (!decision.ok) {
    add(decision.error.code === 'card/would-waste', 'card that would waste too much');
    add(decision.error.code === 'boost/too-long', 'boost that would last too long');
    add(decision.error.code === 'card/partly-used', 'disarm of nothing but a partly used card');
    add(
      command.type === 'home:use-card' &&
        decision.error.code === 'feeding/already-done' &&
        settled.some((event) => event.type === 'feeding-completed' && event.at === nowMs),
      'card at exactly the due time',
    );
    return places;
  }
  const [first, ...followed] = decision.value;
  if (!first) return places;
  const started = followed.filter((event) => event.type === 'feeding-started');
  const pet = 'petId' in first ? petsOf(before).find((some) => some.petId === first.petId) : undefined;
  const boostEndsAtMs = pet?.boost?.endsAtMs ?? 0;
  add(command.type === 'home:grant' && started.length > 0, 'blocked chain started by a grant');
  add(
    started.length > 0 && petsOf(judgement.home).some((some) => some.blockedAtMs !== undefined),
    'several blocked pets, food for some',
  );
  const after = pet && petsOf(judgement.home).find(({ petId }) => petId === pet.petId);
  switch (first.type) {
    case 'auto-feed-disarmed':
      add(
        after !== undefined && after.armed.length > 0 && after.armed.every((armed) => wholeCards(armed) === 0),
        'disarm that leaves a partly used card',
      );
      break;
    case 'feeding-started':
      add(pet?.blockedAtMs !== undefined, 'blocked pet fed by hand');
      add(boostEndsAtMs > nowMs, 'boost spilling into the next feeding');
      break;
    case 'card-used':
      add(first.count > 1, 'several cards at once');
      add(first.effect === 'cut' && first.workLeftMs === 0, 'cut ending a feeding');
      add(first.effect === 'cut' && first.workLeftMs > 0 && boostEndsAtMs > nowMs, 'cut inside a boost');
      break;
    case 'feeding-stopped':
      add(
        Object.keys(first.items).some((item) => item === pet?.feeding?.food),
        'undo',
      );
      add(
        countOf(first.items, pet?.feeding?.food ?? '') === 0 && command.type === 'home:stop',
        'stop after the undo time',
      );
      add(command.type === 'home:release', 'release while eating');
      break;
    default:
  }
  return places;
};

/** Two feedings by card in a row on one pet. */
const hasChain = (log: readonly HomeEvent[]): boolean => {
  const links = new Map<string, number>();
  for (const event of log) {
    if (event.type !== 'feeding-started') continue;
    const length = event.by === 'card' ? (links.get(event.petId) ?? 0) + 1 : 0;
    if (length >= 2) return true;
    links.set(event.petId, length);
  }
  return false;
};
