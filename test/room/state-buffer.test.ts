import { Encoder } from '@colyseus/schema';
import { expect, it } from 'vitest';
import { stateBytesAtMost } from '../../server/room/state-buffer.ts';
import { defaultCatalogue } from '../../shared/catalogue.ts';
import { HomeState, PetState } from '../../shared/home-state.ts';
import { feedingIdOf, petIdOf } from '../../shared/ids.ts';

const LONGEST_ID = 'p'.repeat(128);
const LONGEST_NAME = 'n'.repeat(32);
const LARGE = Number.MAX_SAFE_INTEGER - 0.5;

const largestPet = (seq: number): PetState =>
  Object.assign(new PetState(), {
    ...{ id: petIdOf(LONGEST_ID, seq), name: '🐕'.repeat(32), species: LONGEST_NAME, xp: LARGE, level: LARGE },
    ...{ feedingId: feedingIdOf(LONGEST_ID, seq), food: LONGEST_NAME, startedAt: LARGE, dueAt: LARGE, totalMs: LARGE },
    ...{ leftMs: LARGE, sinceAt: LARGE, boostRate: LARGE, boostEndsAt: LARGE, autoFeeds: LARGE },
    waitingFor: LONGEST_NAME,
  });

const largestHome = (pets: number, items: number): HomeState => {
  const state = new HomeState();
  Object.assign(state, { playerId: LONGEST_ID, epoch: 'e'.repeat(64), seq: LARGE });
  for (let at = 0; at < items; at += 1) state.items.set(`${at}`.padEnd(32, 'i'), LARGE);
  for (let at = 0; at < pets; at += 1) {
    const pet = largestPet(Number.MAX_SAFE_INTEGER - at);
    state.pets.set(pet.id, pet);
  }
  return state;
};

it.each([1, 8, 100])('holds the largest home with %i pets, so that no room ever needs a larger buffer', (pets) => {
  const { foods, cards, limits } = defaultCatalogue;
  const items = Object.keys(foods).length + Object.keys(cards).length + 16;
  // One byte goes before it: which message it is.
  const whole = new Encoder(largestHome(pets, items)).encodeAll({ offset: 1 }, new Uint8Array(1_000_000));

  expect(whole.byteLength).toBeGreaterThan(pets * 700);
  expect(whole.byteLength).toBeLessThanOrEqual(
    stateBytesAtMost({ foods, cards, limits: { ...limits, petsPerPlayer: pets } }),
  );
});
