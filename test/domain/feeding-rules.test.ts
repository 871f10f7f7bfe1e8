import { describe, expect, it } from 'vitest';
import { HOUR_MS, replied, Scene, T0 } from '../support/properties/scene.ts';

const FOUR_HOURS_MS = 4 * HOUR_MS;

describe('due time', () => {
  it('least t where the work is eaten; restating a feeding at any moment before it is due never moves it', () => {
    const scene = new Scene({ 'dog-food': 1, 'auto-feed': 3 });
    expect(replied(scene.feed(T0)).dueAt).toBe(T0 + FOUR_HOURS_MS);
    for (const afterMs of [1, HOUR_MS, FOUR_HOURS_MS - 1]) {
      expect(replied(scene.card(T0 + afterMs, 'auto-feed')).dueAt).toBe(T0 + FOUR_HOURS_MS);
    }
  });
});

describe('boundary', () => {
  it('due iff dueAtMs <= nowMs', () => {
    const scene = new Scene({ 'dog-food': 1 });
    scene.feed(T0);
    expect(scene.look(T0 + FOUR_HOURS_MS - 1).pet().feeding).toBeDefined();
    expect(scene.look(T0 + FOUR_HOURS_MS).pet().feeding).toBeUndefined();
    expect(scene.hoursOf('feeding-completed')).toEqual([4]);
  });

  it('a card at exactly the due time is late: feeding/already-done, card kept', () => {
    const scene = new Scene({ 'dog-food': 1, 'speed-up': 1 });
    scene.feed(T0);
    expect(scene.card(T0 + FOUR_HOURS_MS, 'speed-up')).toBe('feeding/already-done');
    expect(scene.count('speed-up')).toBe(1);
  });

  it('a card one millisecond before the due time is in time', () => {
    const scene = new Scene({ 'dog-food': 1, 'speed-up': 1 });
    scene.feed(T0);
    const answer = replied(scene.card(T0 + FOUR_HOURS_MS - 1, 'speed-up'));
    expect(answer.events.map((event) => event.type)).toEqual(['card-used', 'feeding-completed']);
    expect(answer).toMatchObject({ dueAt: 0, wastedMs: 2 * HOUR_MS - 1 });
  });
});

describe('which feeding', () => {
  const chained = (): { scene: Scene; first: string } => {
    const scene = new Scene({ 'dog-food': 3, 'speed-up': 1, 'auto-feed': 1 });
    const first = replied(scene.feed(T0)).feedingId ?? '';
    scene.card(T0, 'auto-feed');
    return { scene, first };
  };

  it("not the pet's current one: feeding/already-done, card kept", () => {
    const { scene, first } = chained();
    expect(scene.card(T0 + 5 * HOUR_MS, 'speed-up', { feedingId: first })).toBe('feeding/already-done');
    expect(scene.stop(T0 + 5 * HOUR_MS, 0, first)).toBe('feeding/already-done');
    expect(scene.count('speed-up')).toBe(1);
    expect(scene.dueAfterMs()).toBe(8 * HOUR_MS);
  });

  it('without it, the card is for what the pet eats now', () => {
    const { scene } = chained();
    expect(replied(scene.card(T0 + 5 * HOUR_MS, 'speed-up')).dueAt).toBe(T0 + 6 * HOUR_MS);
  });

  it('without it, a pet that is not eating answers feeding/already-done if its last feeding completed', () => {
    const scene = new Scene({ 'dog-food': 1, 'speed-up': 1 });
    scene.feed(T0);
    expect(scene.card(T0 + 90 * HOUR_MS, 'speed-up')).toBe('feeding/already-done');
    expect(scene.stop(T0 + 90 * HOUR_MS)).toBe('feeding/already-done');
  });

  it('else pet/not-eating', () => {
    const scene = new Scene({ 'dog-food': 1, 'speed-up': 1 });
    expect(scene.card(T0, 'speed-up')).toBe('pet/not-eating');
    scene.feed(T0);
    scene.stop(T0 + HOUR_MS);
    expect(scene.card(T0 + HOUR_MS, 'speed-up')).toBe('pet/not-eating');
    expect(scene.stop(T0 + HOUR_MS)).toBe('pet/not-eating');
  });
});

describe('stop', () => {
  it('feeding ends uncompleted, armed cards go back to the items, food is gone', () => {
    const scene = new Scene({ 'dog-food': 2, 'auto-feed': 2 });
    scene.feed(T0);
    scene.card(T0, 'auto-feed', { count: 2 });
    expect(scene.count('auto-feed')).toBe(0);
    expect(replied(scene.stop(T0 + HOUR_MS)).dueAt).toBe(0);
    expect(scene.home.items).toEqual({ 'dog-food': 1, 'auto-feed': 2 });
    expect(scene.look(T0 + 99 * HOUR_MS).hoursOf('feeding-completed')).toEqual([]);
    expect(scene.pet()).toMatchObject({ xp: 0, armed: [] });
  });

  it.each([
    [10_000, 1],
    [10_001, 0],
  ])('%i ms after a feeding by hand on which no card was played %i food comes back', (afterMs, foods) => {
    const scene = new Scene({ 'dog-food': 1 });
    scene.feed(T0);
    scene.stop(T0 + afterMs);
    expect(scene.count('dog-food')).toBe(foods);
  });

  it('gives no food back when a card was played, nor of a feeding by card', () => {
    const scene = new Scene({ 'dog-food': 3, 'auto-feed': 1 });
    scene.feed(T0);
    scene.card(T0, 'auto-feed');
    scene.stop(T0 + 1);
    expect(scene.count('dog-food')).toBe(2);
    scene.feed(T0 + 1);
    scene.card(T0 + 1, 'auto-feed');
    scene.stop(T0 + 1 + FOUR_HOURS_MS);
    expect(scene.count('dog-food')).toBe(0);
  });
});

describe('release a pet', () => {
  it('as stop, then the pet is gone; nothing fires afterwards', () => {
    const scene = new Scene({ 'dog-food': 2, 'auto-feed': 1 });
    scene.feed(T0);
    scene.card(T0, 'auto-feed');
    const before = scene.log.length;
    const petId = scene.id();
    expect(replied(scene.release(T0 + HOUR_MS)).dueAt).toBe(0);
    expect(scene.types(before)).toEqual(['feeding-stopped', 'pet-released']);
    expect(scene.home.items).toEqual({ 'dog-food': 1, 'auto-feed': 1 });
    scene.look(T0 + 99 * HOUR_MS);
    expect(scene.types(before)).toHaveLength(2);
    expect(scene.send(T0 + 99 * HOUR_MS, { type: 'home:release', petId })).toBe('pet/unknown');
  });

  it('gives back what lies on a pet that waits for food', () => {
    const scene = new Scene({ 'dog-food': 2, 'auto-feed': 2 }, 2);
    for (const pet of [0, 1]) {
      scene.feed(T0, 'dog-food', pet);
      scene.card(T0, 'auto-feed', { pet });
    }
    scene.look(T0 + FOUR_HOURS_MS);
    scene.release(T0 + 5 * HOUR_MS, 0);
    expect(scene.types().slice(-2)).toEqual(['auto-feed-disarmed', 'pet-released']);
    expect(scene.home.items).toEqual({ 'auto-feed': 1 });
  });
});

describe('one bowl', () => {
  it('at most one running feeding per pet, ever', () => {
    const scene = new Scene({ 'dog-food': 3 });
    scene.feed(T0);
    expect(scene.feed(T0)).toBe('pet/eating');
    expect(scene.feed(T0 + FOUR_HOURS_MS - 1)).toBe('pet/eating');
    expect(replied(scene.feed(T0 + FOUR_HOURS_MS)).dueAt).toBe(T0 + 8 * HOUR_MS);
  });
});

describe('stock', () => {
  it('never negative; a rejected command changes nothing but what settling found', () => {
    const scene = new Scene({ 'dog-food': 1, boost: 1 });
    scene.feed(T0);
    const before = scene.home;
    expect(scene.card(T0 + 1, 'boost', { count: 2 })).toBe('item/out-of-stock');
    expect(scene.card(T0 + 1, 'speed-up')).toBe('item/out-of-stock');
    expect(scene.take(T0 + 1, { boost: 1, 'dog-food': 1 })).toBe('item/out-of-stock');
    expect(scene.home).toEqual(before);
    expect(scene.feed(T0 + FOUR_HOURS_MS)).toBe('item/out-of-stock');
    expect(scene.types().at(-1)).toBe('feeding-completed');
  });
});

describe('experience', () => {
  it('a completed feeding gives the xp it was started with', () => {
    const scene = new Scene({ 'dog-food': 2, 'auto-feed': 1 });
    scene.feed(T0);
    scene.card(T0, 'auto-feed');
    scene.catalogue = { ...scene.catalogue, foods: { 'dog-food': { workMs: 1, xp: 999 } } };
    expect(scene.look(T0 + 8 * HOUR_MS).pet().xp).toBe(20);
  });
});
