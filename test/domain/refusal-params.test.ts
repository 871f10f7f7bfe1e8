import { describe, expect, it } from 'vitest';
import type { OperatorCommand } from '../../server/domain/scene.ts';
import { newHome } from '../../shared/home.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { initialPet, petsOf } from '../../shared/pets/pet.ts';
import type { Command } from '../../shared/pets/protocol.ts';
import { judge } from '../../testing/pets-engine.ts';
import { HOUR_MS, Scene, T0 } from '../support/properties/scene.ts';

/** The whole refusal of a command. */
const refused = (scene: Scene, command: Command | OperatorCommand, nowMs = T0) => {
  const { catalogue, home } = scene;
  const { decision } = judge({ catalogue, home, command, commandId: 'command-x', nowMs });
  return decision.ok ? 'accepted' : [decision.error.code, decision.error.params];
};
const items = { 'dog-food': 5, 'speed-up': 5, boost: 500, turbo: 1, 'auto-feed': 20, pack: 3 };
const rules = {
  limits: { petsPerPlayer: 1, autoFeedsPerPet: 4, undoMs: 10_000, boostMs: 3 * HOUR_MS },
  cards: {
    'speed-up': { effect: 'cut', workMs: 3 * HOUR_MS },
    boost: { effect: 'rate', rate: 2, lastsMs: HOUR_MS },
    turbo: { effect: 'rate', rate: 3, lastsMs: HOUR_MS },
    'auto-feed': { effect: 'repeat', times: 1 },
    pack: { effect: 'repeat', times: 3 },
  },
} as const;
const pet = () => new Scene(items, 1, rules);
const eating = (): Scene => {
  const scene = pet();
  scene.feed(T0);
  return scene;
};
const petId = 'anna~p2';
const feedingId = 'anna~f3';
const card = (name: string, more = {}): Command => ({ type: 'home:use-card', petId, card: name, ...more });
const adopt = (name: string, species = 'dog'): Command => ({ type: 'home:adopt', name, species });
const feed = (food = 'dog-food'): Command => ({ type: 'home:feed', petId, food });

describe('a refusal says what a client needs to explain it:', () => {
  it.each([
    ['who is not there', pet, { type: 'home:stop', petId: 'bob~p1' }, 'pet/unknown', { petId: 'bob~p1' }],
    ['which species', pet, adopt('Bo', 'dragon'), 'species/unknown', { species: 'dragon' }],
    ['that the name is empty', pet, adopt(' '), 'name/refused', { why: 'empty' }],
    ['how long it may be', pet, adopt('x'.repeat(33)), 'name/refused', { why: 'too-long', max: 32 }],
    ['that its characters are unfit', pet, adopt('Bo\0'), 'name/refused', { why: 'characters' }],
    ['how many pets there may be', pet, adopt('Bo'), 'pet/limit', { limit: 1 }],
    ['which food', pet, feed('hay'), 'item/unknown', { item: 'hay' }],
    ['which card', eating, card('joker'), 'item/unknown', { item: 'joker' }],
    ['what it eats already', eating, feed(), 'pet/eating', { petId, feedingId }],
    ['how much food there is', pet, feed('snack'), 'item/out-of-stock', { item: 'snack', have: 0, need: 1 }],
    [
      'how many cards there are',
      eating,
      card('speed-up', { count: 9 }),
      'item/out-of-stock',
      { item: 'speed-up', have: 5, need: 9 },
    ],
    ['that it does not eat', pet, card('boost'), 'pet/not-eating', { petId }],
    [
      'which feeding is over',
      pet,
      card('boost', { feedingId: 'f1' }),
      'feeding/already-done',
      { petId, feedingId: 'f1' },
    ],
    [
      'which other one is over',
      eating,
      { type: 'home:stop', petId, feedingId: 'f1' },
      'feeding/already-done',
      { petId, feedingId: 'f1' },
    ],
    [
      'how much would be wasted',
      eating,
      card('speed-up', { count: 2, maxWastedMs: 7 }),
      'card/would-waste',
      { wastedMs: 2 * HOUR_MS, maxWastedMs: 7 },
    ],
    [
      'how long a boost may last',
      eating,
      card('boost', { count: 4 }),
      'boost/too-long',
      { endsAt: T0 + 4 * HOUR_MS, maxMs: 3 * HOUR_MS },
    ],
    ['how many are armed', eating, card('pack', { count: 2 }), 'pet/auto-feeds-full', { petId, have: 0, max: 4 }],
    [
      'how many could go back',
      eating,
      { type: 'home:disarm', petId },
      'item/out-of-stock',
      { petId, have: 0, need: 1 },
    ],
  ] as const)('%s', (_, scene, command, code, params) => {
    expect(refused(scene(), command as Command)).toStrictEqual([code, params]);
  });

  it('which boost runs, and until when', () => {
    const scene = eating();
    scene.card(T0, 'boost');
    expect(refused(scene, card('turbo'))).toEqual(['boost/other-rate', { rate: 2, endsAt: T0 + HOUR_MS }]);
  });

  it('how many feedings of a card that was used in part are left', () => {
    const scene = eating();
    scene.card(T0, 'pack');
    scene.look(T0 + 5 * HOUR_MS);
    const disarm: Command = { type: 'home:disarm', petId };
    expect(refused(scene, disarm, T0 + 5 * HOUR_MS)).toEqual(['card/partly-used', { petId, autoFeeds: 2 }]);
    scene.card(T0 + 5 * HOUR_MS, 'auto-feed');
    expect(refused(scene, { ...disarm, count: 2 }, T0 + 5 * HOUR_MS)).toEqual([
      'item/out-of-stock',
      { petId, have: 1, need: 2 },
    ]);
  });

  it('which feeding was the last, where none is named', () => {
    const scene = eating();
    const stop: Command = { type: 'home:stop', petId };
    expect(refused(scene, stop, T0 + 4 * HOUR_MS)).toEqual(['feeding/already-done', { petId, feedingId }]);
  });

  it('when it would be due, and when the clock ends', () => {
    const late = LATEST_MS - 4 * HOUR_MS;
    const params = { dueAt: LATEST_MS, latestAt: LATEST_MS };
    expect(refused(pet(), feed(), late)).toEqual(['feeding/too-long', params]);
    expect(refused(pet(), feed(), late - 1)).toBe('accepted');
    const shift = { type: 'ops:shift', module: 'pets', thing: petId, by: 'ada', reason: 'test' } as const;
    const byMs = LATEST_MS - T0 - 4 * HOUR_MS;
    expect(refused(eating(), { ...shift, byMs })).toEqual(['feeding/too-long', params]);
    expect(refused(eating(), { ...shift, byMs: byMs - 1 })).toBe('accepted');
    expect(refused(pet(), { ...shift, byMs })).toEqual(['pet/not-eating', { petId }]);
    expect(refused(pet(), { ...shift, type: 'ops:stop' })).toEqual(['pet/not-eating', { petId }]);
    expect(refused(eating(), { ...shift, type: 'ops:stop' })).toBe('accepted');
    expect(refused(eating(), { ...shift, type: 'ops:stop', run: 'f1' })).toEqual([
      'feeding/already-done',
      { petId, feedingId: 'f1' },
    ]);
  });
});

it('pets stand in the order of their adoption, which is no order of words', () => {
  const things = Object.fromEntries(['anna~p10', 'anna~p2', 'anna~p9'].map((id) => [id, { ...initialPet, petId: id }]));
  const ids = petsOf({ ...newHome('anna'), things: { pets: things } }).map((one) => one.petId);
  expect(ids).toEqual(['anna~p2', 'anna~p9', 'anna~p10']);
});
