import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogueArbitrary, historyArbitrary } from '../../testing/arbitraries.ts';
import { inBothOrders, shuffledCards } from '../../testing/laws-of-time.ts';
import { play } from '../../testing/play.ts';
import { type Place, placesOf } from '../support/properties/reached.ts';

/** In at least this many of a thousand histories. */
const LEAST: Readonly<Record<Place, number>> = {
  'chain of two or more': 50,
  'blocked chain': 50,
  'blocked chain started by a grant': 20,
  'blocked pet fed by hand': 10,
  'several blocked pets, food for some': 3,
  'boost spilling into the next feeding': 50,
  'cut ending a feeding': 50,
  'cut inside a boost': 20,
  undo: 50,
  'stop after the undo time': 50,
  disarm: 50,
  'disarm that leaves a partly used card': 1,
  'disarm of nothing but a partly used card': 3,
  'stop that leaves a partly used card': 3,
  'release while eating': 50,
  'two pets due at one instant': 50,
  'card at exactly the due time': 20,
  'several cards at once': 50,
  'two feedings of a pet settled in one look': 50,
  'card that would waste too much': 20,
  'boost that would last too long': 20,
};

/** Played by the first test that asks: a file that plays while its tests are collected costs each mutant that time. */
let played: readonly ReturnType<typeof play>[] | undefined;
const thousand = (): readonly ReturnType<typeof play>[] => {
  played ??= fc
    .sample(fc.tuple(catalogueArbitrary, historyArbitrary), { numRuns: 1000, seed: 7 })
    .map(([catalogue, history]) => play(catalogue, history));
  return played;
};

describe('the histories that the laws are tried on', () => {
  it('reach each place so often', () => {
    const reached = thousand().flatMap((one) => [...placesOf(one)]);
    const tooSeldom = Object.entries(LEAST).filter(
      ([place, least]) => reached.filter((each) => each === place).length < least,
    );
    expect(tooSeldom).toEqual([]);
  });

  it('have more than half of their commands accepted', () => {
    const turns = thousand().flatMap((one) => one.turns);
    const accepted = turns.filter((turn) => turn.judgement.decision.ok);
    expect(accepted.length / turns.length).toBeGreaterThan(0.5);
  });

  it('have cards in two orders to compare, in a tenth of them and more', () => {
    const tries = fc.sample(fc.tuple(catalogueArbitrary, historyArbitrary, shuffledCards), { numRuns: 1000, seed: 7 });
    const compared = tries.filter(([catalogue, history, cards]) => inBothOrders(catalogue, history, cards, 1));
    expect(compared.length).toBeGreaterThan(100);
  });
});
