import { describe, expect, it } from 'vitest';
import { summarize } from '../../../client/page/game/away.ts';
import type { GameEvent } from '../../../client/page/game/modules.ts';
import type { PetsEventBody as EventBody } from '../../../shared/pets/events.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';

// `object`: with its own type, nine hundred shapes, the compiler takes seconds for this line.
const log = (...bodies: readonly EventBody[]): readonly HomeEvent[] =>
  bodies.map((body: object, at) => ({ v: 1, seq: at + 1, at: 100 + at, ...body }) as HomeEvent);

const feeding = { petId: 'p', feedingId: 'f' };
const done = (totalXp: number): EventBody => ({ type: 'feeding-completed', ...feeding, xp: 10, totalXp });
const fed = (by: 'hand' | 'card'): EventBody => ({
  type: 'feeding-started',
  ...feeding,
  by,
  food: 'dog-food',
  workMs: 1,
  xp: 10,
  dueAt: 1,
  items: { 'dog-food': -1 },
});

describe('while you were away', () => {
  it('counts meals, xp and what cards served, and tells of the level that was reached', () => {
    expect(summarize(log(done(20), fed('card'), done(30), fed('card')), [0, 30])).toEqual({
      pets: [{ petId: 'p', meals: 2, autoFed: 2, xp: 20, level: 2, waitingFor: undefined, isGone: false }],
      things: [],
      gifts: {},
      lastAt: 103,
    });
  });

  it('tells what a chain waits for, unless it was fed since', () => {
    const blocked: EventBody = { type: 'auto-feed-blocked', petId: 'p', food: 'dog-food' };
    expect(summarize(log(done(10), blocked), [0])?.pets).toMatchObject([{ waitingFor: 'dog-food' }]);
    expect(summarize(log(done(10), blocked, fed('hand')), [0])?.pets).toMatchObject([{ waitingFor: undefined }]);
  });

  it('tells what was given and taken, but not the starter items', () => {
    const granted = (reason: string, count: number): EventBody => ({
      type: 'items-granted',
      items: { boost: count },
      reason,
    });
    expect(summarize(log(granted('sorry', 2), granted('event', 1)), [0])?.gifts).toEqual({ boost: 3 });
    expect(summarize(log(granted('starter', 2)), [0])).toBeUndefined();
  });

  it('counts what each thing of the town finished, with its level and what it brought', () => {
    const events = [
      { type: 'town/started', thing: 'hall', activity: 'upgrade', run: 'r', dueAt: 1 },
      { type: 'town/finished', thing: 'hall', activity: 'upgrade', run: 'r', level: 1 },
      { type: 'town/finished', thing: 'mill', activity: 'grind', run: 'r', items: { flour: 2 } },
      { type: 'town/finished', thing: 'mill', activity: 'grind', run: 's', items: { flour: 3 } },
      { type: 'town/finished', thing: 'plot', activity: 'wheat', run: 'r' },
      { type: 'town/collected', thing: 'plot', activity: 'wheat', items: { wheat: 3 } },
    ].map((body, at) => ({ v: 1, seq: at + 1, at: 100 + at, ...body }) as GameEvent);
    expect(summarize(events, [0])).toEqual({
      pets: [],
      things: [
        { thing: 'hall', times: { upgrade: 1 }, level: 1, items: {} },
        { thing: 'mill', times: { grind: 2 }, level: undefined, items: { flour: 5 } },
        { thing: 'plot', times: { wheat: 1 }, level: undefined, items: {} },
      ],
      gifts: {},
      lastAt: 105,
    });
  });

  it('says nothing of a town in which nothing has ended', () => {
    const started = { type: 'town/started', thing: 'hall', activity: 'upgrade', run: 'r', dueAt: 1 };
    expect(summarize([{ v: 1, seq: 1, at: 1, ...started } as GameEvent], [0])).toBeUndefined();
  });

  it('is silent about what the player himself did on another device', () => {
    const adopted: EventBody = { type: 'pet-adopted', petId: 'p', name: 'Rex', species: 'dog' };
    expect(summarize(log(adopted, fed('hand')), [0])).toBeUndefined();
  });
});
