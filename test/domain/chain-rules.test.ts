import { describe, expect, it } from 'vitest';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { type Catalogue, defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { HOUR_MS, replied, Scene, T0 } from '../support/properties/scene.ts';

/** `pets` pets that eat since the beginning, each with `armed` repeat cards on it. */
const chained = (foods: number, armed: number, pets = 1, rules: Partial<Catalogue> = {}): Scene => {
  const scene = new Scene({ 'dog-food': foods, 'auto-feed': armed * pets }, pets, rules);
  for (let pet = 0; pet < pets; pet++) {
    scene.feed(T0, 'dog-food', pet);
    if (armed > 0) scene.card(T0, 'auto-feed', { pet, count: armed });
  }
  return scene;
};
const threeTimes: Partial<Catalogue> = { cards: { 'auto-feed': { effect: 'repeat', times: 3 } } };

describe('repeat card (auto-feed)', () => {
  it('armed on an eating pet, leaves the items then', () => {
    expect(new Scene({ 'auto-feed': 1 }).card(T0, 'auto-feed')).toBe('pet/not-eating');
    const scene = new Scene({ 'dog-food': 3, 'auto-feed': 3 });
    scene.feed(T0);
    expect(replied(scene.card(T0, 'auto-feed')).events[0]).toMatchObject({ autoFeeds: 1, items: { 'auto-feed': -1 } });
    expect(scene.count('auto-feed')).toBe(2);
    expect(scene.count('dog-food')).toBe(2);
  });

  it('several stack, used one by one, the next starting at t (not at "now") in the same transaction', () => {
    const scene = chained(4, 2).look(T0 + 100 * HOUR_MS);
    expect(scene.hoursOf('feeding-started')).toEqual([0, 4, 8]);
    expect(scene.hoursOf('feeding-completed')).toEqual([4, 8, 12]);
    expect(scene.count('dog-food')).toBe(1);
  });

  it('repeats food, work and xp of its forerunner, whatever the catalogue says by then', () => {
    const scene = chained(2, 1);
    scene.catalogue = { ...scene.catalogue, foods: { 'dog-food': { workMs: 1, xp: 1 } } };
    scene.look(T0 + 4 * HOUR_MS);
    expect(scene.pet().feeding).toMatchObject({ food: 'dog-food', workMs: 4 * HOUR_MS, xp: 10, by: 'card' });
  });

  it('the food is taken then, not when the card is armed', () => {
    const scene = chained(2, 1);
    scene.take(T0, { 'dog-food': 1 });
    expect(
      scene
        .look(T0 + 4 * HOUR_MS)
        .types()
        .at(-1),
    ).toBe('auto-feed-blocked');
  });

  it('the first armed is the first used', () => {
    const scene = new Scene({ 'dog-food': 9, 'auto-feed': 1, later: 1 }, 1, {
      cards: { 'auto-feed': { effect: 'repeat', times: 1 }, later: { effect: 'repeat', times: 2 } },
    });
    scene.feed(T0);
    scene.card(T0, 'auto-feed');
    scene.card(T0, 'later');
    scene.look(T0 + 4 * HOUR_MS);
    expect(scene.pet().armed).toEqual([{ card: 'later', times: 2, left: 2 }]);
  });

  it('one card more than fits is refused, and so is one of several at once: pet/auto-feeds-full', () => {
    const scene = new Scene({ 'dog-food': 1, 'auto-feed': 20 });
    scene.feed(T0);
    expect(scene.card(T0, 'auto-feed', { count: 11 })).toBe('pet/auto-feeds-full');
    replied(scene.card(T0, 'auto-feed', { count: 10 }));
    expect(scene.card(T0, 'auto-feed')).toBe('pet/auto-feeds-full');
    expect(scene.count('auto-feed')).toBe(10);
  });
});

describe('auto-feed without food', () => {
  it('auto-feed-blocked, card stays armed', () => {
    const scene = chained(1, 1).look(T0 + 4 * HOUR_MS);
    expect(scene.log.at(-1)).toMatchObject({ type: 'auto-feed-blocked', at: T0 + 4 * HOUR_MS, food: 'dog-food' });
    expect(scene.pet()).toMatchObject({ feeding: undefined, armed: [{ card: 'auto-feed', left: 1 }] });
  });

  it('when food arrives, it starts at that moment, no back-fill, in the same transaction', () => {
    const scene = chained(1, 2);
    const answer = replied(scene.grant(T0 + 50 * HOUR_MS, { 'dog-food': 2 }));
    expect(answer.events).toMatchObject([
      { type: 'items-granted', items: { 'dog-food': 2 } },
      { type: 'feeding-started', at: T0 + 50 * HOUR_MS, by: 'card', dueAt: T0 + 54 * HOUR_MS },
    ]);
    expect(answer.dueAt).toBeUndefined();
    expect(scene.look(T0 + 99 * HOUR_MS).hoursOf('feeding-completed')).toEqual([4, 54, 58]);
  });

  it('blocked pets start in order of blocked since', () => {
    const scene = chained(2, 1, 2);
    scene.grant(T0, { 'speed-up': 1 });
    scene.card(T0, 'speed-up', { pet: 1 });
    const answer = replied(scene.grant(T0 + 9 * HOUR_MS, { 'dog-food': 1 }));
    expect(answer.events[1]).toMatchObject({ type: 'feeding-started', petId: scene.id(1) });
    expect(answer.events).toHaveLength(2);
  });

  it('blocked since the same instant, they start in order of pet id', () => {
    const scene = chained(2, 1, 2);
    const answer = replied(scene.grant(T0 + 9 * HOUR_MS, { 'dog-food': 1 }));
    expect(answer.events[1]).toMatchObject({ type: 'feeding-started', petId: [scene.id(0), scene.id(1)].sort()[0] });
  });

  it('other food starts nothing, and does not stand in the way of those behind', () => {
    const scene = new Scene({ 'dog-food': 1, snack: 1, 'auto-feed': 2 }, 2);
    scene.feed(T0, 'snack', 0);
    scene.feed(T0, 'dog-food', 1);
    for (const pet of [0, 1]) scene.card(T0, 'auto-feed', { pet });
    const answer = replied(scene.grant(T0 + 9 * HOUR_MS, { 'dog-food': 1 }));
    expect(answer.events[1]).toMatchObject({ type: 'feeding-started', petId: scene.id(1) });
    expect(scene.pet(0).blockedAtMs).toBe(T0 + HOUR_MS / 2);
  });

  it('food that an undone feeding gives back counts as arrived', () => {
    const limits = { ...defaultCatalogue.limits, undoMs: 9 * HOUR_MS };
    const scene = new Scene({ 'dog-food': 2, 'auto-feed': 1 }, 2, { limits });
    scene.feed(T0);
    scene.card(T0, 'auto-feed');
    scene.feed(T0 + HOUR_MS, 'dog-food', 1);
    const answer = replied(scene.stop(T0 + 4 * HOUR_MS, 1));
    expect(answer.events.map((event) => event.type)).toEqual(['feeding-stopped', 'feeding-started']);
    // The answer is about the pet that was stopped, not about the one that starts.
    expect(answer).toMatchObject({ petId: scene.id(1), dueAt: 0 });
  });

  it("a blocked pet may be fed by hand (that food becomes the chain's)", () => {
    const scene = chained(1, 1);
    scene.grant(T0 + 9 * HOUR_MS, { snack: 2 });
    replied(scene.feed(T0 + 9 * HOUR_MS, 'snack'));
    expect(scene.pet()).toMatchObject({ blockedAtMs: undefined, armed: [{ left: 1 }] });
    scene.look(T0 + 99 * HOUR_MS);
    expect(scene.hoursOf('feeding-started')).toEqual([0, 9, 9.5]);
    expect(scene.hoursOf('auto-feed-blocked')).toEqual([4]);
  });
});

describe('disarm', () => {
  it('armed cards go back to the items, at any time', () => {
    const scene = chained(3, 3);
    replied(scene.disarm(T0 + 1, 1));
    expect(scene.count('auto-feed')).toBe(1);
    replied(scene.disarm(T0 + 1));
    expect(scene.count('auto-feed')).toBe(3);
    expect(scene.dueAfterMs()).toBe(4 * HOUR_MS);
    expect(scene.look(T0 + 99 * HOUR_MS).hoursOf('feeding-completed')).toEqual([4]);
  });

  it('also of a pet that waits for food, which then waits no more', () => {
    const scene = chained(1, 1).look(T0 + 4 * HOUR_MS);
    replied(scene.disarm(T0 + 5 * HOUR_MS));
    expect(replied(scene.grant(T0 + 6 * HOUR_MS, { 'dog-food': 1 })).events).toHaveLength(1);
  });

  it('more than lie there, or none: item/out-of-stock', () => {
    const scene = chained(1, 2);
    expect(scene.disarm(T0, 3)).toBe('item/out-of-stock');
    replied(scene.disarm(T0));
    expect(scene.disarm(T0)).toBe('item/out-of-stock');
  });

  it('a card of which a feeding was used stays, with the feedings that are left, and the chain goes on with them', () => {
    const scene = chained(9, 2, 1, threeTimes).look(T0 + 4 * HOUR_MS);
    expect(replied(scene.disarm(T0 + 5 * HOUR_MS)).events).toMatchObject([{ items: { 'auto-feed': 1 }, autoFeeds: 2 }]);
    expect(scene.count('auto-feed')).toBe(1);
    expect(scene.pet().armed).toEqual([{ card: 'auto-feed', times: 3, left: 2 }]);
    expect(scene.look(T0 + 99 * HOUR_MS).hoursOf('feeding-completed')).toEqual([4, 8, 12, 16]);
  });

  it('of nothing but a card that is used in part: card/partly-used, and nothing is lost', () => {
    const scene = chained(9, 1, 1, threeTimes).look(T0 + 4 * HOUR_MS);
    expect(scene.disarm(T0 + 5 * HOUR_MS)).toBe('card/partly-used');
    expect(scene.disarm(T0 + 5 * HOUR_MS, 1)).toBe('card/partly-used');
    expect(scene.look(T0 + 99 * HOUR_MS).hoursOf('feeding-completed')).toEqual([4, 8, 12, 16]);
  });

  it('a pet that waits goes on waiting for the feedings that are left', () => {
    const scene = chained(2, 2, 1, threeTimes).look(T0 + 8 * HOUR_MS);
    replied(scene.disarm(T0 + 9 * HOUR_MS));
    expect(scene.pet()).toMatchObject({ blockedAtMs: T0 + 8 * HOUR_MS, armed: [{ left: 2 }] });
    expect(replied(scene.grant(T0 + 10 * HOUR_MS, { 'dog-food': 1 })).events[1]).toMatchObject({ by: 'card' });
  });

  it('a stop leaves them on the pet, for after its next meal by hand', () => {
    const scene = chained(9, 2, 1, threeTimes).look(T0 + 4 * HOUR_MS);
    expect(replied(scene.stop(T0 + 5 * HOUR_MS)).events).toMatchObject([{ items: { 'auto-feed': 1 }, autoFeeds: 2 }]);
    expect(scene.look(T0 + 50 * HOUR_MS).pet()).toMatchObject({ feeding: undefined, blockedAtMs: undefined });
    scene.feed(T0 + 50 * HOUR_MS);
    expect(scene.look(T0 + 99 * HOUR_MS).hoursOf('feeding-completed')).toEqual([4, 54, 58, 62]);
  });

  it('a release gives whole cards back; what is left of a partly used one leaves with the pet', () => {
    const scene = chained(9, 2, 1, threeTimes).look(T0 + 4 * HOUR_MS);
    expect(replied(scene.release(T0 + 5 * HOUR_MS)).events).toMatchObject([
      { type: 'feeding-stopped', items: { 'auto-feed': 1 }, autoFeeds: 2 },
      { type: 'pet-released' },
    ]);
  });

  it('gives the newest cards back first, so that the chain goes on with the older ones', () => {
    const scene = new Scene({ 'dog-food': 9, 'auto-feed': 1, later: 1 }, 1, {
      cards: { 'auto-feed': { effect: 'repeat', times: 1 }, later: { effect: 'repeat', times: 2 } },
    });
    scene.feed(T0);
    scene.card(T0, 'auto-feed');
    scene.card(T0, 'later');
    replied(scene.disarm(T0, 1));
    expect(scene.count('later')).toBe(1);
    expect(scene.pet().armed).toEqual([{ card: 'auto-feed', times: 1, left: 1 }]);
  });
});

describe("the clock's end", () => {
  const atTheEnd = (foods: number, armed: number): Scene => {
    const scene = new Scene({ 'dog-food': foods, 'auto-feed': armed });
    scene.feed(LATEST_MS - 6 * HOUR_MS);
    scene.card(LATEST_MS - 6 * HOUR_MS, 'auto-feed', { count: armed });
    return scene;
  };

  it('a meal that would be due then or later is refused, and nothing is taken: feeding/too-long', () => {
    const scene = new Scene({ 'dog-food': 2 }, 2);
    expect(scene.feed(LATEST_MS - 4 * HOUR_MS)).toBe('feeding/too-long');
    expect(scene.count('dog-food')).toBe(2);
    replied(scene.feed(LATEST_MS - 4 * HOUR_MS - 1));
  });

  it('a chain ends before it: its cards stay armed and can be disarmed', () => {
    const scene = atTheEnd(3, 2).look(LATEST_MS - HOUR_MS);
    expect(scene.types().filter((type) => type === 'feeding-started')).toHaveLength(1);
    expect(scene.pet()).toMatchObject({ feeding: undefined, blockedAtMs: undefined });
    replied(scene.disarm(LATEST_MS - HOUR_MS));
    expect([scene.count('auto-feed'), scene.count('dog-food')]).toEqual([2, 2]);
  });

  it('a chain that waits for food does not begin again beyond it', () => {
    const scene = atTheEnd(1, 2);
    expect(replied(scene.grant(LATEST_MS - HOUR_MS, { 'dog-food': 1 })).events).toHaveLength(1);
    expect(scene.types().at(-2)).toBe('auto-feed-blocked');
  });
});

describe('away for days', () => {
  it('the chain is settled over all pets of the player in logical-time order, sharing one stock', () => {
    const scene = chained(3, 5, 2);
    scene.grant(T0, { 'speed-up': 1 });
    scene.card(T0 + HOUR_MS, 'speed-up', { pet: 1 });
    const from = scene.log.length;
    scene.look(T0 + 30 * 24 * HOUR_MS);
    const told = scene.log.slice(from).map((event) => `${event.type} ${(event.at - T0) / HOUR_MS}`);
    expect(told).toEqual([
      'feeding-completed 2',
      'feeding-started 2',
      'feeding-completed 4',
      'auto-feed-blocked 4',
      'feeding-completed 6',
      'auto-feed-blocked 6',
    ]);
  });

  it('tie: pet id, so that the last food goes to the one with the smaller id', () => {
    const scene = chained(3, 1, 2).look(T0 + 4 * HOUR_MS);
    const [first, second] = [scene.id(0), scene.id(1)].sort();
    expect(scene.log.slice(-4)).toMatchObject([
      { type: 'feeding-completed', petId: first },
      { type: 'feeding-started', petId: first },
      { type: 'feeding-completed', petId: second },
      { type: 'auto-feed-blocked', petId: second },
    ]);
  });

  it('tie: pet id as text, which is not the order of adoption', () => {
    const scene = new Scene({ 'dog-food': 1, 'auto-feed': 2 }, 0);
    while (scene.log.length < 8) scene.grant(T0, { 'dog-food': 1 });
    for (const pet of [0, 1]) scene.send(T0, { type: 'home:adopt', name: `Pet ${pet}`, species: 'cat' });
    expect([scene.id(0), scene.id(1)]).toEqual(['anna~p9', 'anna~p10']);
    for (const pet of [0, 1]) {
      scene.feed(T0, 'dog-food', pet);
      scene.card(T0, 'auto-feed', { pet });
    }
    scene.take(T0, { 'dog-food': scene.count('dog-food') });
    scene.look(T0 + 4 * HOUR_MS);
    expect(scene.log.slice(-4).map((event) => 'petId' in event && event.petId)).toEqual([
      'anna~p10',
      'anna~p10',
      'anna~p9',
      'anna~p9',
    ]);
    const answer = replied(scene.grant(T0 + 9 * HOUR_MS, { 'dog-food': 1 }));
    expect(answer.events[1]).toMatchObject({ type: 'feeding-started', petId: 'anna~p10' });
  });

  it('the log does not depend on how often anyone looked, nor on a changed catalogue', () => {
    const seldom = chained(9, 4).look(T0 + 99 * HOUR_MS);
    const often = chained(9, 4);
    often.catalogue = { ...often.catalogue, foods: {}, cards: {}, levels: [0] };
    for (let hour = 0; hour <= 99; hour++) often.look(T0 + hour * HOUR_MS);
    expect(often.log).toEqual(seldom.log);
  });
});

describe('ids', () => {
  it('are derived from the player and the seq of the creating event', () => {
    const scene = new Scene({ 'dog-food': 1 });
    expect(scene.id()).toBe('anna~p2');
    expect(replied(scene.feed(T0)).feedingId).toBe('anna~f3');
  });
});
