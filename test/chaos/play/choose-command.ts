import { BEDS } from '../../support/field/field.ts';
import type { ToldEvent } from '../evidence/evidence.ts';
import type { Random } from './random.ts';

/** A command without its id. */
export interface Wish {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What a client keeps in mind of its pets: enough to ask for things that mostly make sense. */
export interface PetInMind {
  readonly petId: string;
  feedingId: string | undefined;
}

/** Remembers what an event says. */
export const remember = (pets: PetInMind[], event: ToldEvent): void => {
  if (event.type === 'pet-adopted') pets.push({ petId: event.petId, feedingId: undefined });
  const pet = 'petId' in event ? pets.find(({ petId }) => petId === event.petId) : undefined;
  if (!pet) return;
  if (event.type === 'feeding-started') pet.feedingId = event.feedingId;
  if (event.type === 'feeding-completed' || event.type === 'feeding-stopped') pet.feedingId = undefined;
};

/** What the player wants next. Some of it is refused: bad names, a bowl that is full, a meal that has just ended. */
export const chooseCommand = (pets: readonly PetInMind[], random: Random): Wish => {
  const [first, ...others] = pets;
  if (!first || random.percent(others.length < 2 ? 8 : 1)) {
    return { type: 'home:adopt', payload: { name: `Pet ${random.below(1000)}`, species: 'dog' } };
  }
  if (random.percent(12)) {
    return { type: random.pick(['field:sow', 'field:sow', 'field:hurry']), payload: { bed: random.pick(BEDS) } };
  }
  const pet = random.pick([first, ...others]);
  const { petId, feedingId } = pet;
  if (random.percent(2)) return { type: 'home:feed', payload: { petId: `${petId}0`, food: 'snack' } };
  if (random.percent(2)) return { type: 'home:feed', payload: { petId, food: 'constructor' } };
  const isFed = feedingId !== undefined;
  if (!isFed && random.percent(85)) return { type: 'home:feed', payload: { petId, food: chooseFood(random) } };
  // A meal that is named may have ended since.
  const named = isFed && random.percent(40) ? { feedingId } : {};
  const dice = random.below(100);
  if (dice < 28) return { type: 'home:use-card', payload: { petId, card: 'speed-up', ...named, ...chooseCut(random) } };
  if (dice < 46) return { type: 'home:use-card', payload: { petId, card: 'boost', ...named } };
  if (dice < 78) return { type: 'home:use-card', payload: { petId, card: 'auto-feed', count: 1 + random.below(2) } };
  if (dice < 84) return { type: 'home:disarm', payload: { petId, ...(random.percent(50) ? { count: 1 } : {}) } };
  if (dice < 92) return { type: 'home:stop', payload: { petId, ...named } };
  return { type: 'home:feed', payload: { petId, food: chooseFood(random) } };
};

const chooseFood = (random: Random): string => random.pick(['crumb', 'crumb', 'snack', 'snack', 'feast']);

const chooseCut = (random: Random): object => ({
  count: 1 + random.below(2),
  ...(random.percent(20) ? { maxWastedMs: random.below(200) } : {}),
});
