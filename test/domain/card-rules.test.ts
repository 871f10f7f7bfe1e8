import { describe, expect, it } from 'vitest';
import { HOUR_MS, replied, Scene, T0 } from '../support/properties/scene.ts';

const stock = { 'dog-food': 5, 'speed-up': 5, boost: 5, 'auto-feed': 5 };
const eating = (rules: ConstructorParameters<typeof Scene>[2] = {}): Scene => {
  const scene = new Scene(stock, 1, rules);
  scene.feed(T0);
  return scene;
};

describe('cut card (speed-up)', () => {
  it('takes 2 h of work from the end: 2 h of wall time', () => {
    const scene = eating();
    expect(replied(scene.card(T0 + HOUR_MS, 'speed-up'))).toMatchObject({ dueAt: T0 + 2 * HOUR_MS, wastedMs: 0 });
  });

  it.each([
    [4, 2],
    [3, 1.5],
    [2, 1],
  ])('x2, 1 h boost: %f h left saves %f h', (leftHours, savedHours) => {
    const scene = eating({ foods: { 'dog-food': { workMs: leftHours * HOUR_MS, xp: 1 } } });
    const before = replied(scene.card(T0, 'boost')).dueAt ?? 0;
    const answer = replied(scene.card(T0, 'speed-up'));
    const after = answer.dueAt === 0 ? T0 : (answer.dueAt ?? 0);
    expect(before - after).toBe(savedHours * HOUR_MS);
  });

  it('count of them at once: all or nothing', () => {
    const scene = eating();
    expect(scene.card(T0, 'speed-up', { count: 6 })).toBe('item/out-of-stock');
    // Before what is wrong with their effect: the player may not even have them.
    expect(scene.card(T0, 'speed-up', { count: 6, maxWastedMs: 0 })).toBe('item/out-of-stock');
    expect(scene.card(T0, 'speed-up', { count: 3, maxWastedMs: 0 })).toBe('card/would-waste');
    expect(scene.count('speed-up')).toBe(5);
    expect(replied(scene.card(T0, 'speed-up', { count: 2 })).events[0]).toMatchObject({ count: 2, workLeftMs: 0 });
    expect(scene.count('speed-up')).toBe(3);
  });
});

describe('cut beyond the end', () => {
  it('completes at the moment of the card, never earlier; the surplus is lost and answered as wastedMs (work)', () => {
    const scene = eating();
    const answer = replied(scene.card(T0 + 3 * HOUR_MS, 'speed-up'));
    expect(answer).toMatchObject({ dueAt: 0, wastedMs: HOUR_MS });
    expect(answer.events).toMatchObject([
      { type: 'card-used', at: T0 + 3 * HOUR_MS, dueAt: T0 + 3 * HOUR_MS, wastedMs: HOUR_MS },
      { type: 'feeding-completed', at: T0 + 3 * HOUR_MS },
    ]);
  });

  it('starts the next of a chain at the moment of the card, and the answer has its due time', () => {
    const scene = eating();
    scene.card(T0, 'auto-feed');
    const answer = replied(scene.card(T0 + 3 * HOUR_MS, 'speed-up'));
    expect(answer.events.map((event) => event.type)).toEqual(['card-used', 'feeding-completed', 'feeding-started']);
    expect(answer.dueAt).toBe(T0 + 7 * HOUR_MS);
  });

  it('maxWastedMs in the command refuses instead: card/would-waste', () => {
    const scene = eating();
    const at = T0 + 3 * HOUR_MS;
    expect(scene.card(at, 'speed-up', { maxWastedMs: HOUR_MS - 1 })).toBe('card/would-waste');
    expect(scene.count('speed-up')).toBe(5);
    expect(replied(scene.card(at, 'speed-up', { maxWastedMs: HOUR_MS })).wastedMs).toBe(HOUR_MS);
  });
});

describe('order of cards', () => {
  it('cards played at one instant, none of which ends the feeding, commute; concurrent cards are never lost', () => {
    const one = eating();
    one.card(T0 + HOUR_MS, 'boost');
    one.card(T0 + HOUR_MS, 'speed-up');
    one.card(T0 + HOUR_MS, 'auto-feed');
    const other = eating();
    other.card(T0 + HOUR_MS, 'auto-feed');
    other.card(T0 + HOUR_MS, 'speed-up');
    other.card(T0 + HOUR_MS, 'boost');
    expect(one.home).toEqual(other.home);
    expect(one.dueAfterMs()).toBe(1.5 * HOUR_MS);
  });
});

describe('late dispatcher', () => {
  it('the command settles first: a feeding already due completes at its due time, the card is kept', () => {
    const scene = eating();
    expect(scene.card(T0 + 100 * HOUR_MS, 'speed-up')).toBe('feeding/already-done');
    expect(scene.hoursOf('feeding-completed')).toEqual([4]);
    expect(scene.count('speed-up')).toBe(5);
  });
});

describe('rate card (boost)', () => {
  it("an eating pet's rate x2 for 1 h from now", () => {
    const scene = eating();
    const answer = replied(scene.card(T0 + HOUR_MS, 'boost'));
    expect(answer.dueAt).toBe(T0 + 3 * HOUR_MS);
    expect(answer.events[0]).toMatchObject({
      boostRate: 2,
      boostEndsAt: T0 + 2 * HOUR_MS,
      workLeftMs: 3 * HOUR_MS,
    });
  });

  it('into its next feeding if need be, be it by card or by hand', () => {
    const scene = eating();
    scene.card(T0, 'auto-feed');
    scene.card(T0 + 3.5 * HOUR_MS, 'boost');
    expect(scene.look(T0 + 3.75 * HOUR_MS).dueAfterMs()).toBe(7 * HOUR_MS);
    expect(scene.pet().feeding?.by).toBe('card');

    const byHand = eating();
    byHand.card(T0 + 3.5 * HOUR_MS, 'boost');
    byHand.feed(T0 + 4 * HOUR_MS);
    expect(byHand.dueAfterMs()).toBe(7.5 * HOUR_MS);
  });

  it('one more of the same rate extends the end', () => {
    const scene = eating();
    scene.card(T0, 'boost');
    scene.card(T0 + HOUR_MS / 2, 'boost');
    expect(scene.pet().boost).toEqual({ rate: 2, endsAtMs: T0 + 2 * HOUR_MS });
    expect(scene.dueAfterMs()).toBe(2 * HOUR_MS);
  });

  it('another rate while one runs: boost/other-rate', () => {
    const scene = eating();
    scene.catalogue = {
      ...scene.catalogue,
      cards: { ...scene.catalogue.cards, 'auto-feed': { effect: 'rate', rate: 3, lastsMs: HOUR_MS } },
    };
    scene.card(T0, 'boost');
    expect(scene.card(T0 + HOUR_MS - 1, 'auto-feed')).toBe('boost/other-rate');
    expect(scene.count('auto-feed')).toBe(5);
    expect(replied(scene.card(T0 + HOUR_MS, 'auto-feed')).events[0]).toMatchObject({ boostRate: 3 });
  });

  it('that would run longer than the rules allow from now is refused, all of its cards: boost/too-long', () => {
    const scene = eating();
    scene.catalogue = { ...scene.catalogue, limits: { ...scene.catalogue.limits, boostMs: 2 * HOUR_MS } };
    const before = scene.count('boost');
    expect(scene.card(T0, 'boost', { count: 3 })).toBe('boost/too-long');
    replied(scene.card(T0, 'boost', { count: 2 }));
    expect(scene.card(T0 + HOUR_MS - 1, 'boost')).toBe('boost/too-long');
    expect(scene.count('boost')).toBe(before - 2);
    expect(replied(scene.card(T0 + HOUR_MS, 'boost')).events[0]).toMatchObject({ boostEndsAt: T0 + 3 * HOUR_MS });
  });

  it('nothing changes retroactively: what was eaten stays eaten', () => {
    const scene = eating();
    scene.card(T0 + 3 * HOUR_MS, 'boost');
    expect(scene.dueAfterMs()).toBe(3.5 * HOUR_MS);
    expect(scene.pet().feeding?.work).toEqual({ leftMs: HOUR_MS, sinceAtMs: T0 + 3 * HOUR_MS });
  });

  it('needs an eating pet', () => {
    expect(new Scene(stock).card(T0, 'boost')).toBe('pet/not-eating');
  });
});

describe('a judgement', () => {
  it('the same question gives the same answer, and the home that was asked about is as before', () => {
    const scene = eating();
    const copy = structuredClone(scene.home);
    const home = scene.home;
    const answer = scene.card(T0 + 1, 'speed-up');
    expect(home).toEqual(copy);
    scene.home = home;
    expect(scene.card(T0 + 1, 'speed-up')).toEqual({
      ...replied(answer),
      events: [{ ...replied(answer).events[0], commandId: expect.any(String) }],
    });
  });
});
