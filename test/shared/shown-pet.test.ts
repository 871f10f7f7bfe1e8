import { expect, it } from 'vitest';
import type { Pet } from '../../shared/pets/pet.ts';
import { shownPet, shownPets } from '../../shared/pets/shown-pet.ts';

const LEVELS = [0, 30, 100];
const bare: Pet = { petId: 'anna~p2', name: 'Rex', species: 'dog', xp: 30, armed: [] };
const nothing = {
  id: 'anna~p2',
  name: 'Rex',
  species: 'dog',
  xp: 30,
  level: 2,
  feedingId: '',
  food: '',
  startedAt: 0,
  dueAt: 0,
  totalMs: 0,
  leftMs: 0,
  sinceAt: 0,
  boostRate: 1,
  boostEndsAt: 0,
  autoFeeds: 0,
  waitingFor: '',
};
const meal = { food: 'hay', workMs: 90, xp: 1 };

it('a pet that does nothing is shown with empty words and zeros', () => {
  expect(shownPet(bare, LEVELS)).toEqual(nothing);
});

it('a pet that eats is shown with its work, its boost, what is armed, and when it is due', () => {
  const feeding = {
    ...meal,
    feedingId: 'anna~f3',
    by: 'hand',
    startedAtMs: 40,
    work: { leftMs: 80, sinceAtMs: 50 },
    hasCards: true,
  } as const;
  const armed = [
    { card: 'nap', times: 1, left: 2 },
    { card: 'pack', times: 3, left: 4 },
  ];
  expect(shownPet({ ...bare, feeding, armed, boost: { rate: 2, endsAtMs: 60 } }, LEVELS)).toEqual({
    ...nothing,
    feedingId: 'anna~f3',
    food: 'hay',
    startedAt: 40,
    dueAt: 120,
    totalMs: 90,
    leftMs: 80,
    sinceAt: 50,
    boostRate: 2,
    boostEndsAt: 60,
    autoFeeds: 6,
  });
});

it('a chain that waits is shown with the food that it needs', () => {
  const lastFeeding = { ...meal, feedingId: 'anna~f3', outcome: 'completed' } as const;
  expect(shownPet({ ...bare, lastFeeding, blockedAtMs: 0 }, LEVELS)).toEqual({ ...nothing, waitingFor: 'hay' });
  expect(shownPet({ ...bare, lastFeeding }, LEVELS)).toEqual(nothing);
  expect(shownPet({ ...bare, blockedAtMs: 7 }, LEVELS)).toEqual(nothing);
});

it('pets are shown in the order of their adoption; those that are gone are not', () => {
  const told = { b: { state: { ...bare, petId: 'anna~p10' } }, a: { state: bare }, gone: undefined };
  expect(shownPets(told, LEVELS).map(({ id }) => id)).toEqual(['anna~p2', 'anna~p10']);
  expect(shownPets(undefined, LEVELS)).toEqual([]);
});
