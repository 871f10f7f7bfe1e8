import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Catalogue, defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { petsOf } from '../../shared/pets/pet.ts';
import { historyArbitraryOf } from '../../testing/arbitraries.ts';
import { checkRules } from '../../testing/check-rules.ts';
import { hold, same } from '../../testing/claims.ts';
import { law } from '../../testing/law.ts';
import { play } from '../../testing/play.ts';
import { smallWorld } from '../support/properties/small-world.ts';

it('finds nothing wrong with our own rules, nor with some of another game', () => {
  expect(checkRules(defaultCatalogue, { runs: 20 })).toEqual([]);
  const blacksmith = {
    ...defaultCatalogue,
    foods: { iron: { workMs: 90_000, xp: 3 }, steel: { workMs: 7_200_000, xp: 50 } },
    cards: { hammer: { effect: 'cut', workMs: 60_000 }, bellows: { effect: 'rate', rate: 3, lastsMs: 600_000 } },
    starter: { items: { iron: 20, hammer: 5, bellows: 5 } },
  } as const;
  expect(checkRules(blacksmith, { runs: 20 })).toEqual([]);
});

it('plays every card of rules with many items, also those that only a grant gives', () => {
  const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
  const foods = named('food', 8).map((name) => [name, { workMs: 3_600_000, xp: 1 }]);
  const cards = named('card', 12).map((name) => [name, { effect: 'cut', workMs: 60_000 }]);
  const catalogue: Catalogue = {
    ...defaultCatalogue,
    foods: Object.fromEntries(foods),
    cards: Object.fromEntries(cards),
    starter: { items: { 'food-0': 20 } },
  };
  const histories = fc.sample(historyArbitraryOf({ unitMs: 300_000, maxSteps: 40 }), { numRuns: 150, seed: 5 });
  const played = histories.flatMap((history) =>
    play(catalogue, history).log.flatMap((event) => (event.type === 'card-used' ? [event.card] : [])),
  );
  expect(new Set(played).size).toBe(12);
});

it('finds rules that a rules file would not have been let through with', () => {
  const halves = { ...defaultCatalogue, foods: { 'dog-food': { workMs: 14_400_000.5, xp: 10 } } };
  expect(checkRules(halves, { runs: 50 }).map(({ law }) => law)).not.toEqual([]);
});

it('answers the smallest counterexample, and what replays it', () => {
  const wrong = law(
    'nobody ever adopts a pet',
    ({ catalogue, history }) => [catalogue, history],
    (_world, catalogue, history) => hold(petsOf(play(catalogue, history).home).length === 0, 'somebody did'),
  );
  expect(wrong.counterexample(smallWorld, 1000)).toMatch(/somebody did.*seed: .*path: /s);
});

it('compares what is there, not what is undefined', () => {
  same({ a: 1, b: undefined, c: [{ d: undefined }] }, { a: 1, c: [{}] });
  expect(() => same({ a: 1 }, { a: 2 })).toThrow('is not');
  expect(() => same([1], [1, 2])).toThrow('is not');
  expect(() => same(new Map([['a', 1]]), new Map([['a', 2]]))).toThrow('is not');
});
