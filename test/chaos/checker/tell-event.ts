import type { PetEventOf as EventOf } from '../../../shared/pets/events.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';
import type { Complain, Counts, Rules, ToldEvent } from '../evidence/evidence.ts';
import { countIn, findDue, isSame, type RetoldBowl, type RetoldHome, type RetoldPet, restate } from './retold-home.ts';

export interface Telling {
  readonly playerId: string;
  readonly rules: Rules;
  readonly home: RetoldHome;
  readonly complain: Complain;
}

/** What the next event has to be. */
export interface Following {
  readonly type: ToldEvent['type'];
  /** Of the pet or the bed. */
  readonly id: string;
  readonly atMs: number;
}

type OperatorsEvent = EventOf<
  | 'feeding-shifted'
  | 'player-frozen'
  | 'player-unfrozen'
  | 'home-merged'
  | 'home-received'
  | 'pet-arrived'
  | 'module-opened'
  | 'thing-arrived'
>;

const operators: ReadonlySet<string> = new Set<OperatorsEvent['type']>([
  ...(['feeding-shifted', 'player-frozen', 'player-unfrozen'] as const),
  ...(['home-merged', 'home-received', 'pet-arrived', 'module-opened', 'thing-arrived'] as const),
]);

const isOperators = (event: HomeEvent): event is OperatorsEvent => operators.has(event.type);

/** Judges one event against the home before it, and changes the home; but for the stock. */
export const tellEvent = (telling: Telling, event: HomeEvent): Following | undefined => {
  const { home, complain } = telling;
  if (event.type === 'items-granted') {
    if (event.seq !== 1 && event.commandId === undefined) complain('nobody ordered it');
    return undefined;
  }
  if (event.type === 'pet-adopted') return adopt(telling, event);
  if (isOperators(event)) {
    complain('nobody ordered it');
    return undefined;
  }
  const pet = home.pets.get(event.petId);
  if (!pet) {
    complain(`there is no pet ${event.petId}`);
    return undefined;
  }
  switch (event.type) {
    case 'feeding-started':
      return start(telling, pet, event);
    case 'card-used':
      return tellCard(telling, pet, event);
    case 'feeding-completed':
      return complete(telling, pet, event);
    case 'feeding-stopped':
      return stop(telling, pet, event);
    case 'auto-feed-blocked':
      if (event.food !== pet.last?.food) complain(`waits for ${event.food} instead of ${pet.last?.food}`);
      if (pet.armed < 1) complain('no card is armed');
      if (countIn(home, event.food) > 0) complain('there is food');
      pet.blockedAtMs = event.at;
      return undefined;
    case 'auto-feed-disarmed':
      return disarm(telling, pet, event);
    case 'pet-released':
      if (pet.bowl || pet.armed > 0) complain('the pet still eats, or has cards on it');
      home.pets.delete(pet.petId);
      return undefined;
    default:
      return event satisfies never;
  }
};

const adopt = ({ playerId, rules, home, complain }: Telling, event: EventOf<'pet-adopted'>): undefined => {
  if (event.petId !== `${playerId}~p${event.seq}`) complain(`has the id ${event.petId}`);
  if (event.commandId === undefined) complain('nobody ordered it');
  if (home.pets.size >= rules.limits.petsPerPlayer) complain('is one pet too many');
  const { petId, name, species } = event;
  const nothing = { bowl: undefined, last: undefined, boost: undefined, armed: 0, blockedAtMs: undefined };
  home.pets.set(petId, { petId, name, species, xp: 0, ...nothing });
};

const start = ({ playerId, rules, home, complain }: Telling, pet: RetoldPet, event: EventOf<'feeding-started'>) => {
  const food = rules.foods[event.food];
  if (pet.bowl) complain(`eats ${pet.bowl.feedingId} still`);
  if (event.feedingId !== `${playerId}~f${event.seq}`) complain(`has the id ${event.feedingId}`);
  if (event.workMs !== food?.workMs || event.xp !== food.xp) complain('is not what the food gives');
  if (!isSame(event.items, { [event.food]: -1 })) complain('takes something else than its food');
  if (countIn(home, event.food) < 1) complain('there is no food for it');
  if ((event.by === 'hand') !== (event.commandId !== undefined)) complain(`by ${event.by}, against its command`);
  if (event.by === 'card') {
    if (pet.armed < 1) complain('no card is armed');
    if (event.food !== pet.last?.food) complain(`is not the food of its chain, ${pet.last?.food}`);
    const isInTime = pet.blockedAtMs !== undefined || pet.last?.endedAtMs === event.at;
    if (!isInTime) complain('does not start when the one before it ended');
    pet.armed -= 1;
  }
  const { feedingId, petId, workMs, xp, by, at } = event;
  const bowl: RetoldBowl = {
    feedingId,
    petId,
    food: event.food,
    workMs,
    xp,
    by,
    startedAtMs: at,
    endedAtMs: undefined,
    state: 'running',
    leftMs: workMs,
    sinceAtMs: at,
    dueAtMs: 0,
    hasCards: false,
  };
  findDue(pet, bowl);
  if (event.dueAt !== bowl.dueAtMs) complain(`says it is due ${event.dueAt - bowl.dueAtMs} ms off`);
  pet.bowl = bowl;
  pet.blockedAtMs = undefined;
  if (home.bowls.has(feedingId)) complain('started before');
  home.bowls.set(feedingId, bowl);
  return undefined;
};

const complete = ({ complain }: Telling, pet: RetoldPet, event: EventOf<'feeding-completed'>) => {
  const { bowl } = pet;
  if (bowl?.feedingId !== event.feedingId) {
    complain(`${event.feedingId} is not what the pet eats`);
    return undefined;
  }
  if (event.at !== bowl.dueAtMs) complain(`is ${event.at - bowl.dueAtMs} ms off its due time`);
  if (event.xp !== bowl.xp || event.totalXp !== pet.xp + bowl.xp) complain(`brings the xp to ${event.totalXp}`);
  pet.xp = event.totalXp;
  end(pet, bowl, 'completed', event.at);
  bowl.leftMs = 0;
  bowl.sinceAtMs = event.at;
  return pet.armed > 0 ? ({ type: 'feeding-started', id: pet.petId, atMs: event.at } as const) : undefined;
};

const stop = ({ rules, complain }: Telling, pet: RetoldPet, event: EventOf<'feeding-stopped'>) => {
  const { bowl } = pet;
  if (bowl?.feedingId !== event.feedingId) {
    complain(`${event.feedingId} is not what the pet eats`);
    return undefined;
  }
  const isUndone = bowl.by === 'hand' && !bowl.hasCards && event.at - bowl.startedAtMs <= rules.limits.undoMs;
  const back = { ...cardsBack(rules, pet.armed), ...(isUndone ? { [bowl.food]: 1 } : {}) };
  if (!isSame(event.items, back)) complain(`gives back ${JSON.stringify(event.items)}, not ${JSON.stringify(back)}`);
  pet.armed = 0;
  end(pet, bowl, 'stopped', event.at);
  return undefined;
};

const disarm = ({ rules, complain }: Telling, pet: RetoldPet, event: EventOf<'auto-feed-disarmed'>) => {
  const count = Object.values(event.items).reduce((sum, each) => sum + each, 0);
  const isRight = count >= 1 && count <= pet.armed && isSame(event.items, cardsBack(rules, count));
  if (!isRight) complain(`gives back ${JSON.stringify(event.items)} of ${pet.armed}`);
  pet.armed -= count;
  if (pet.armed === 0) pet.blockedAtMs = undefined;
  return undefined;
};

const end = (pet: RetoldPet, bowl: RetoldBowl, state: RetoldBowl['state'], atMs: number): void => {
  bowl.state = state;
  bowl.endedAtMs = atMs;
  pet.last = bowl;
  pet.bowl = undefined;
};

const cardsBack = (rules: Rules, count: number): Counts => {
  const [card] = Object.entries(rules.cards).find(([, { effect }]) => effect === 'repeat') ?? [];
  return card === undefined || count === 0 ? {} : { [card]: count };
};

/** Plays the cards again, and compares what the event says of them. */
const tellCard = (telling: Telling, pet: RetoldPet, event: EventOf<'card-used'>): Following | undefined => {
  const { rules, home, complain } = telling;
  const card = rules.cards[event.card];
  const { bowl } = pet;
  if (card?.effect !== event.effect) complain(`${event.card} does no ${event.effect}`);
  if (event.commandId === undefined) complain('nobody ordered it');
  if (!isSame(event.items, { [event.card]: -event.count })) complain('takes something else than its cards');
  if (countIn(home, event.card) < event.count) complain('there are not so many cards');
  if (!card || bowl?.feedingId !== event.feedingId) {
    complain(`${event.feedingId} is not what the pet eats`);
    return undefined;
  }
  restate(pet, bowl, event.at);
  bowl.hasCards = true;
  const expect = (name: string, said: number | undefined, expected: number): void => {
    if (said !== expected) complain(`says ${name} ${said}, not ${expected}`);
  };
  if (card.effect === 'cut') {
    const takenMs = Math.min(bowl.leftMs, card.workMs * event.count);
    bowl.leftMs -= takenMs;
    expect('wastedMs', event.wastedMs, card.workMs * event.count - takenMs);
  } else if (card.effect === 'rate') {
    const isRunning = pet.boost !== undefined && pet.boost.untilMs > event.at;
    if (isRunning && pet.boost?.rate !== card.rate) complain('another rate runs');
    const fromMs = isRunning && pet.boost ? pet.boost.untilMs : event.at;
    pet.boost = { rate: card.rate, untilMs: fromMs + card.lastsMs * event.count };
    expect('boostRate', event.boostRate, pet.boost.rate);
    expect('boostEndsAt', event.boostEndsAt, pet.boost.untilMs);
  } else {
    pet.armed += event.count;
    expect('autoFeeds', event.autoFeeds, pet.armed);
    if (pet.armed > rules.limits.autoFeedsPerPet) complain('are too many on one pet');
  }
  findDue(pet, bowl);
  expect('workLeftMs', event.workLeftMs, bowl.leftMs);
  expect('dueAt', event.dueAt, bowl.dueAtMs);
  const isOver = bowl.dueAtMs <= event.at;
  return isOver ? { type: 'feeding-completed', id: pet.petId, atMs: event.at } : undefined;
};
