import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueOf } from '../../server/domain/feeding.ts';
import { judge } from '../../server/domain/judge.ts';
import { settle } from '../../server/domain/settle.ts';
import type { Catalogue } from '../../shared/catalogue.ts';
import { fold } from '../../shared/evolve.ts';
import { autoFeedsOf, type Home, petOf } from '../../shared/home.ts';
import { restate } from '../../shared/work.ts';
import { type CommandSketch, catalogueArbitrary, commandOf, historyArbitrary } from '../support/arbitraries.ts';
import { play } from '../support/play.ts';
import { holds } from '../support/property-runs.ts';

/** Plenty of everything, so that the order of cards is no question of who comes first. */
const plenty = (catalogue: Catalogue): Catalogue => ({
  ...catalogue,
  limits: { ...catalogue.limits, autoFeedsPerPet: 1000 },
  starter: { items: Object.fromEntries(Object.keys(catalogue.starter.items).map((item) => [item, 1000])) },
});

describe('time', () => {
  it('no card moves a due time later', () => {
    holds([catalogueArbitrary, historyArbitrary], (catalogue, history) => {
      for (const { before, nowMs, judgement } of play(catalogue, history).turns) {
        const [card] = judgement.decision.ok ? judgement.decision.value : [];
        if (card?.type !== 'card-used') continue;
        const pet = petOf(fold(before, judgement.settled), card.petId);
        const due = pet && dueOf(pet);
        expect(due).toBeDefined();
        expect(card.dueAt).toBeLessThanOrEqual(due ?? 0);
        expect(card.dueAt).toBeGreaterThanOrEqual(nowMs);
        if (card.effect === 'repeat') expect(card.dueAt).toBe(due);
      }
    });
  });

  it('restating a feeding at any moment before it is due never moves its due time', () => {
    holds([catalogueArbitrary, historyArbitrary, fc.nat(1000)], (catalogue, history, moment) => {
      const { home } = play(catalogue, history);
      for (const pet of home.pets) {
        const due = dueOf(pet);
        if (!pet.feeding || due === undefined) continue;
        const { work } = pet.feeding;
        const atMs = work.sinceAtMs + (moment % (due - work.sinceAtMs));
        expect(dueOf({ ...pet, feeding: { ...pet.feeding, work: restate(work, pet.boost, atMs) } })).toBe(due);
      }
    });
  });

  it('a feeding completes exactly at the due time that was last announced', () => {
    holds([catalogueArbitrary, historyArbitrary], (catalogue, history) => {
      const announced = new Map<string, number>();
      for (const event of play(catalogue, history).log) {
        if (event.type === 'feeding-completed') expect(event.at).toBe(announced.get(event.feedingId));
        if (!('dueAt' in event)) continue;
        announced.set(event.feedingId, event.dueAt);
        expect(event.dueAt).toBeGreaterThanOrEqual(event.at);
      }
    });
  });

  it('cards of one instant, none of which ends the feeding, commute', () => {
    const plays = fc.array(fc.record({ item: fc.nat(5), count: fc.integer({ min: 1, max: 2 }) }), {
      minLength: 2,
      maxLength: 5,
    });
    const shuffled = plays.chain((cards) =>
      fc.tuple(fc.constant(cards), fc.shuffledSubarray(cards, { minLength: cards.length })),
    );
    let commuted = 0;
    holds([catalogueArbitrary, historyArbitrary, shuffled], (small, history, [cards, otherwise]) => {
      const catalogue = plenty({ ...small, foods: { ...small.foods, hay: { workMs: 60, xp: 1 } } });
      const played = play(catalogue, [...history, ...fedOne]);
      const nowMs = played.turns.at(-1)?.nowMs ?? 0;
      const one = playAll(catalogue, played.home, nowMs, cards);
      const other = playAll(catalogue, played.home, nowMs, otherwise);
      if (!one || !other) return;
      commuted++;
      expect(signature(one)).toEqual(signature(other));
    });
    expect(commuted).toBeGreaterThan(100);
  });

  it('settling in any chunks gives the same log, also when the catalogue changes in between', () => {
    const looks = fc.array(fc.nat(150), { maxLength: 30 });
    holds(
      [catalogueArbitrary, catalogueArbitrary, historyArbitrary, looks],
      (catalogue, laterCatalogue, history, looksAfterMs) => {
        const once = play(catalogue, history, { laterCatalogue });
        const often = play(catalogue, history, { laterCatalogue, looksAfterMs });
        expect(often.log).toEqual(once.log);
        expect(often.rested).toEqual(once.rested);
      },
    );
  });

  it('a home that was settled has nothing to settle', () => {
    holds([catalogueArbitrary, historyArbitrary, fc.nat(50)], (catalogue, history, laterMs) => {
      const { turns, home } = play(catalogue, history);
      const lastMs = turns.at(-1)?.nowMs ?? 0;
      expect(settle(home, lastMs)).toEqual([]);
      const settled = fold(home, settle(home, lastMs + laterMs));
      expect(settle(settled, lastMs + laterMs)).toEqual([]);
      expect(settle(settled, 0)).toEqual([]);
    });
  });

  it('no clock that goes back lets an event be dated before the newest one', () => {
    holds([catalogueArbitrary, historyArbitrary, fc.nat(2000)], (catalogue, history, nowMs) => {
      const { rested } = play(catalogue, history);
      const asked = { catalogue, home: rested, commandId: 'command-x', nowMs };
      const { decision } = judge({ ...asked, command: { type: 'home:grant', items: { hay: 1 }, reason: 'late' } });
      expect(decision.ok && decision.value[0]?.at).toBe(Math.max(nowMs, rested.lastAtMs));
    });
  });
});

const sketch: CommandSketch = {
  type: 'home:adopt',
  pet: 0,
  item: 0,
  isApt: true,
  count: undefined,
  feeding: 'none',
  maxWastedMs: undefined,
};
const fedOne = [
  { afterMs: 0, command: sketch },
  { afterMs: 0, command: { ...sketch, type: 'home:feed' as const } },
];

/** The home after all the cards; undefined when one was refused or ended the feeding. */
const playAll = (
  catalogue: Catalogue,
  before: Home,
  nowMs: number,
  cards: readonly { readonly item: number; readonly count: number }[],
): Home | undefined => {
  let home = before;
  for (const card of cards) {
    const command = commandOf({ ...sketch, type: 'home:use-card', ...card }, catalogue, home);
    const judgement = judge({ catalogue, home, command, commandId: 'command-x', nowMs });
    if (!judgement.decision.ok || judgement.decision.value.length > 1) return undefined;
    home = judgement.home;
  }
  return home;
};

/** All but the order in which repeat cards were laid down. */
const signature = (home: Home) => ({
  ...home,
  pets: home.pets.map((pet) => ({
    ...pet,
    due: dueOf(pet),
    autoFeeds: autoFeedsOf(pet),
    armed: pet.armed.map((armed) => JSON.stringify(armed)).sort(),
  })),
});
