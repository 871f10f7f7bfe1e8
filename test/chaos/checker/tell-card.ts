import type { PetEventOf as EventOf } from '../../../shared/pets/events.ts';
import { countIn, findDue, isSame, type RetoldPet, restate } from './retold-home.ts';
import type { Following, Telling } from './tell-event.ts';

/** Plays the cards again, and compares what the event says of them. */
export const tellCard = (telling: Telling, pet: RetoldPet, event: EventOf<'card-used'>): Following | undefined => {
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
