import { describe, expect, it } from 'vitest';
import { newHome } from '../../shared/home.ts';
import { addItems, countOf } from '../../shared/items.ts';
import type { PetsEventBody as EventBody } from '../../shared/pets/events.ts';
import { petOf } from '../../shared/pets/pet.ts';
import type { HomeEvent } from '../../shared/pets/protocol.ts';
import { dueAtMs } from '../../shared/work.ts';
import { evolve, fold } from '../../testing/pets-engine.ts';

// `object`: with its own type, nine hundred shapes, the compiler takes seconds for this line.
const logOf = (...bodies: readonly (EventBody & { readonly at: number })[]): readonly HomeEvent[] =>
  bodies.map((body: object, index) => ({ v: 1, seq: index + 1, ...body }) as HomeEvent);

const feeding = { petId: 'p', feedingId: 'f' };
const started = logOf(
  { at: 5, type: 'items-granted', items: { hay: 2, nap: 4 }, reason: 'starter' },
  { at: 6, type: 'pet-adopted', petId: 'p', name: 'Bo', species: 'dog' },
  {
    at: 7,
    type: 'feeding-started',
    ...feeding,
    food: 'hay',
    by: 'hand',
    workMs: 10,
    xp: 3,
    dueAt: 17,
    items: { hay: -1 },
  },
);
const eating = fold(newHome('anna'), started);
const next = (body: EventBody & { readonly at: number }): HomeEvent => ({ v: 1, seq: 4, ...body }) as HomeEvent;

describe('the fold of a log', () => {
  it('has the seq and the time of its newest event', () => {
    expect(eating).toMatchObject({ playerId: 'anna', seq: 3, lastAtMs: 7, items: { hay: 1, nap: 4 } });
  });

  it('leaves what it folds as it was', () => {
    const copy = structuredClone(eating);
    evolve(eating, next({ at: 8, type: 'pet-released', petId: 'p' }));
    expect(eating).toEqual(copy);
  });

  it('follows an operator who shifts a feeding', () => {
    const shifted = evolve(
      eating,
      next({
        at: 9,
        type: 'feeding-shifted',
        ...feeding,
        byMs: 5,
        workLeftMs: 13,
        dueAt: 22,
        by: 'ops',
        reason: 'late',
      }),
    );
    const work = petOf(shifted, 'p')?.feeding?.work;
    expect(work && dueAtMs(work, undefined)).toBe(22);
    expect(petOf(shifted, 'p')?.feeding?.hasCards).toBe(false);
  });

  it('takes totals from the log, so that a lost event would show', () => {
    const completed = evolve(eating, next({ at: 17, type: 'feeding-completed', ...feeding, xp: 3, totalXp: 30 }));
    expect(petOf(completed, 'p')).toMatchObject({ xp: 30, feeding: undefined, lastFeeding: { outcome: 'completed' } });
  });

  it('counts several repeat cards played at once', () => {
    const card = {
      at: 8,
      type: 'card-used',
      ...feeding,
      card: 'nap',
      effect: 'repeat',
      workLeftMs: 9,
      dueAt: 17,
    } as const;
    const armed = evolve(eating, next({ ...card, count: 2, autoFeeds: 6, items: { nap: -2 } }));
    expect(petOf(armed, 'p')?.armed).toEqual([{ card: 'nap', times: 3, left: 6 }]);
    expect(countOf(armed.items, 'nap')).toBe(2);
  });

  it('takes back the newest cards first, also when one card gives more feedings than it once did', () => {
    const card = {
      type: 'card-used',
      ...feeding,
      card: 'nap',
      count: 1,
      effect: 'repeat',
      workLeftMs: 9,
      dueAt: 17,
    } as const;
    const armed = fold(eating, [
      next({ at: 8, ...card, autoFeeds: 1, items: { nap: -1 } }),
      { v: 1, seq: 5, at: 8, ...card, autoFeeds: 4, items: { nap: -1 } },
    ]);
    const back = {
      v: 1,
      seq: 6,
      at: 8,
      type: 'auto-feed-disarmed',
      petId: 'p',
      items: { nap: 1 },
      autoFeeds: 1,
    } as const;
    expect(petOf(evolve(armed, back), 'p')?.armed).toEqual([{ card: 'nap', times: 1, left: 1 }]);
  });

  it('keeps what is left of a partly used card only if the event says so', () => {
    const card = { type: 'card-used', ...feeding, card: 'nap', effect: 'repeat', workLeftMs: 8, dueAt: 16 } as const;
    const meal = { workMs: 8, xp: 1, dueAt: 24, items: { hay: -1 } };
    const armed = fold(eating, [
      next({ at: 8, ...card, count: 2, autoFeeds: 6, items: { nap: -2 } }),
      { v: 1, seq: 5, at: 16, type: 'feeding-completed', ...feeding, xp: 1, totalXp: 1 },
      { v: 1, seq: 6, at: 16, type: 'feeding-started', ...feeding, food: 'hay', by: 'card', ...meal },
    ]);
    const back = { v: 1, seq: 7, at: 17, items: { nap: 1 } } as const;
    const disarmed = { ...back, type: 'auto-feed-disarmed', petId: 'p' } as const;
    const stopped = { ...back, type: 'feeding-stopped', ...feeding } as const;
    for (const event of [disarmed, stopped]) {
      expect(petOf(evolve(armed, event), 'p')?.armed).toEqual([]);
      expect(petOf(evolve(armed, { ...event, autoFeeds: 2 }), 'p')?.armed).toEqual([
        { card: 'nap', times: 3, left: 2 },
      ]);
    }
  });

  it('is the same for a pet that nothing happened to', () => {
    const two = fold(eating, [next({ at: 8, type: 'pet-adopted', petId: 'q', name: 'Al', species: 'cat' })]);
    const after = evolve(two, { v: 1, seq: 5, at: 9, type: 'feeding-stopped', ...feeding, items: {} });
    expect(petOf(after, 'q')).toBe(petOf(two, 'q'));
    expect(petOf(after, 'p')?.feeding).toBeUndefined();
  });

  it('leaves the home that it began with as it was, though it writes on in its own maps', () => {
    const begun = structuredClone(eating);
    const after = fold(eating, [
      next({ at: 8, type: 'pet-adopted', petId: 'q', name: 'Ida', species: 'cat' }),
      { ...next({ at: 9, type: 'pet-released', petId: 'p' }), seq: 5 } as HomeEvent,
    ]);
    expect([petOf(after, 'p'), petOf(after, 'q')?.name]).toEqual([undefined, 'Ida']);
    expect(eating).toEqual(begun);
  });
});

describe('items', () => {
  it('that become 0 stay out, so that equal stocks are equal values', () => {
    expect(addItems({ hay: 1, nap: 2 }, { hay: -1, nap: 1, new: 0 })).toEqual({ nap: 3 });
  });

  it('named as what every object has are counted as 0 until there are some', () => {
    expect(countOf({}, 'constructor')).toBe(0);
    expect(addItems({}, { constructor: 2 })).toEqual({ constructor: 2 });
  });
});
