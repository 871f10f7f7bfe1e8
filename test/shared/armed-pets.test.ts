import { describe, expect, it } from 'vitest';
import { defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { evolvePet } from '../../shared/pets/evolve-pet.ts';
import { arrivedPet, takenBack } from '../../shared/pets/feeding.ts';
import { type Armed, initialPet, type Pet } from '../../shared/pets/pet.ts';
import { petsOfRules } from '../../shared/pets/pets.ts';

const armedWith = (...armed: readonly Armed[]): Pet => ({ ...initialPet, petId: 'anna~p2', name: 'Rex', armed });
const stack = (card: string, times: number, left: number): Armed => ({ card, times, left });
const evolved = (type: keyof typeof evolvePet, pet: Pet, body: object) =>
  evolvePet[type](pet, { type, thing: pet.petId, seq: 9, at: 50, ...body } as never);
const armedAfter = (type: keyof typeof evolvePet, pet: Pet, body: object) => evolved(type, pet, body)?.armed;

const meal = { food: 'hay', workMs: 9, xp: 1, by: 'hand', startedAtMs: 40, hasCards: false } as const;

describe('armed cards that go back', () => {
  it('are the newest, whole ones alone; feedings of one that was used in part stay armed', () => {
    expect(takenBack(armedWith(stack('nap', 3, 2)))).toStrictEqual({ items: {}, autoFeeds: 2 });
    expect(takenBack(armedWith(stack('nap', 3, 5)))).toStrictEqual({ items: { nap: 1 }, autoFeeds: 2 });
    expect(takenBack(armedWith(stack('nap', 3, 6), stack('rest', 1, 2)))).toStrictEqual({ items: { nap: 2, rest: 2 } });
    const two = armedWith(stack('nap', 1, 2), stack('rest', 2, 4), stack('nap', 1, 1));
    expect(takenBack(two, 2)).toStrictEqual({ items: { nap: 1, rest: 1 }, autoFeeds: 4 });
    expect(takenBack(armedWith())).toStrictEqual({ items: {} });
  });

  it('leave the pet by the event, the newest of one kind first', () => {
    const pet = armedWith(stack('nap', 1, 2), stack('nap', 1, 1));
    expect(armedAfter('auto-feed-disarmed', pet, { items: { nap: 1 }, autoFeeds: 2 })).toEqual([stack('nap', 1, 2)]);
    expect(armedAfter('auto-feed-disarmed', pet, { items: { nap: 2 }, autoFeeds: 1 })).toEqual([stack('nap', 1, 1)]);
    expect(armedAfter('feeding-stopped', armedWith(stack('nap', 3, 5)), { items: { nap: 1 }, autoFeeds: 2 })).toEqual([
      stack('nap', 3, 2),
    ]);
    expect(armedAfter('feeding-stopped', armedWith(stack('nap', 3, 5)), { items: { nap: 1 } })).toEqual([]);
  });

  it('end the waiting of a chain with the last of them', () => {
    const waits = { ...armedWith(stack('nap', 1, 2)), blockedAtMs: 40 };
    expect(evolved('auto-feed-disarmed', waits, { items: { nap: 1 }, autoFeeds: 1 })).toMatchObject({
      blockedAtMs: 40,
    });
    expect(evolved('auto-feed-disarmed', waits, { items: { nap: 2 } })?.blockedAtMs).toBeUndefined();
  });

  it('are one fewer with each feeding that a card begins', () => {
    const begun = (pet: Pet, by: string) =>
      armedAfter('feeding-started', pet, { by, feedingId: 'f', food: 'hay', workMs: 9, xp: 1, dueAt: 59 });
    expect(begun(armedWith(stack('nap', 2, 2), stack('rest', 1, 1)), 'card')).toEqual([
      stack('nap', 2, 1),
      stack('rest', 1, 1),
    ]);
    expect(begun(armedWith(stack('nap', 2, 1), stack('rest', 1, 1)), 'card')).toEqual([stack('rest', 1, 1)]);
    expect(begun(armedWith(stack('nap', 2, 1)), 'hand')).toEqual([stack('nap', 2, 1)]);
    expect(begun(armedWith(), 'card')).toEqual([]);
  });
});

describe('a pet of a merged home', () => {
  const place = { petId: 'anna~p9', playerId: 'anna', seq: 9 };
  const bare: Pet = { petId: 'gast~p2', name: 'Rex', species: 'dog', xp: 7, armed: [] };
  const lastFeeding = { feedingId: 'f1', food: 'hay', workMs: 9, xp: 1, outcome: 'completed' } as const;
  const full: Pet = {
    ...bare,
    feeding: {
      feedingId: 'gast~f5',
      food: 'hay',
      workMs: 9,
      xp: 1,
      by: 'card',
      startedAtMs: 40,
      work: { leftMs: 8, sinceAtMs: 42 },
      hasCards: true,
    },
    lastFeeding,
    boost: { rate: 2, endsAtMs: 44 },
    armed: [stack('nap', 1, 2)],
  };
  const arrived = (pet: Pet) => {
    const { type: _, ...body } = arrivedPet(pet, place);
    return evolved('pet-arrived', initialPet, body);
  };

  it('is what it was, under new ids, and due when it was due', () => {
    const { feeding } = full;
    expect(arrived(full)).toEqual({ ...full, petId: 'anna~p9', feeding: { ...feeding, feedingId: 'anna~f9' } });
    expect(arrivedPet(full, place)).toMatchObject({ from: 'gast~p2', feeding: { dueAt: 48 } });
    const waits: Pet = { ...bare, lastFeeding, blockedAtMs: 0, armed: [stack('nap', 1, 1)] };
    expect(arrived(waits)).toEqual({ ...waits, petId: 'anna~p9' });
  });

  it('has in its event nothing of what it does not have', () => {
    const event = {
      type: 'pet-arrived',
      thing: 'anna~p9',
      from: 'gast~p2',
      name: 'Rex',
      species: 'dog',
      xp: 7,
      armed: [],
    };
    expect(arrivedPet(bare, place)).toStrictEqual(event);
    expect(arrived(bare)).toEqual({ ...bare, petId: 'anna~p9' });
  });
});

it('a pet has its feeding as its run, its name as its title, the rules’ own limit, and no reply without an event', () => {
  const pets = petsOfRules(defaultCatalogue);
  const pet = armedWith();
  const feeding = { ...meal, feedingId: 'anna~f5', work: { leftMs: 9, sinceAtMs: 40 } };
  expect([pets.run?.(pet, 'anna~p2'), pets.run?.({ ...pet, feeding }, 'anna~p2')]).toEqual(['anna~p2', 'anna~f5']);
  expect([pets.title?.(pet), pets.limit?.(defaultCatalogue), pets.reply?.([])]).toEqual(['Rex', 8, {}]);
});

it('a reply has a due time if an event changes it, and 0 if the pet stopped', () => {
  const { reply } = petsOfRules(defaultCatalogue);
  const replyTo = (type: string, fields: object = {}) => reply?.([{ type, thing: 'anna~p2', ...fields }] as never);
  expect(replyTo('pet-adopted', { name: 'Rex', species: 'dog' })).toEqual({ petId: 'anna~p2' });
  expect(replyTo('auto-feed-disarmed', { autoFeeds: 1 })).toEqual({ petId: 'anna~p2' });
  expect(replyTo('feeding-stopped')).toEqual({ petId: 'anna~p2', dueAt: 0 });
});
