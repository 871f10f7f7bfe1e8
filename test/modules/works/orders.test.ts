import { describe, expect, it } from 'vitest';
import { evolveThing } from '../../../shared/works/evolve-thing.ts';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import { lastInLine, lineFor } from '../../../shared/works/start.ts';
import type { Order, Task, WorksThing } from '../../../shared/works/thing.ts';
import { HOUR_MS, MINUTE_MS, WorksScene } from '../../support/works/works-scene.ts';

const rules = {
  things: { hall: { limit: 1 }, mill: { limit: 1 }, barn: { limit: 1 }, hero: { limit: 1, takes: { gold: 0 } } },
  slots: { builders: { base: 1, item: 'builder', queue: 3 } },
  activities: {
    build: {
      on: ['hall', 'mill', 'barn'],
      slot: 'builders',
      workMs: '1h',
      takes: { wood: 10, gold: 0 },
      gives: { fame: 0 },
    },
    rest: { on: ['hero'], workMs: '5m', gives: { energy: 1 }, auto: true, below: { energy: 2 }, collect: true },
  },
  cards: { again: { effect: 'repeat', times: 2 } },
} satisfies WorksRules;

const placed = (items = {}, more: Partial<WorksRules> = {}): WorksScene => {
  const scene = new WorksScene({ ...rules, ...more }, { wood: 100, ...items });
  for (const thing of ['hall', 'mill', 'barn']) scene.place(thing);
  return scene;
};
const start = (scene: WorksScene, thing: string, activity = 'build') => scene.send('start', { thing, activity });
const T = WorksScene.startMs;

describe('an order', () => {
  it('has nothing of which there is none, and an event that moves nothing has no items', () => {
    const scene = placed();
    const [ordered, started] = start(scene, 'hall') as readonly Record<string, unknown>[];
    expect(ordered).toMatchObject({ type: 'town/ordered', items: { wood: -10 } });
    expect(ordered?.order).toStrictEqual({
      activity: 'build',
      workMs: HOUR_MS,
      takes: { wood: 10 },
      gives: {},
      levels: 0,
      slot: { name: 'builders', base: 1, item: 'builder' },
      isCollected: false,
      isConsumed: false,
      isAuto: false,
      isRepeatable: true,
      givesBack: 0,
    });
    expect(Object.hasOwn(started ?? {}, 'items')).toBe(false);
    const [hero] = scene.send('place', { thing: 'hero' }) as readonly object[];
    expect(Object.hasOwn(hero ?? {}, 'items')).toBe(false);
  });

  it.each([
    ['the work', { workMs: ['1m', '2m'] }],
    ['what it takes', { takes: [{ wood: 1 }, { wood: 2 }] }],
    ['what it gives', { gives: [{ level: 1 }, { level: 1 }] }],
  ])('is of the level, and ends where the list of %s alone ends', (_, list) => {
    const grow = { on: ['hall'], workMs: '1m', gives: { level: 1 }, ...list };
    const scene = placed({}, { activities: { grow } });
    for (const level of [1, 2]) {
      expect(start(scene, 'hall', 'grow')).toHaveLength(2);
      scene.pass(2 * MINUTE_MS);
      expect(scene.thing('hall')).toEqual({ name: 'hall', level });
    }
    const params = { thing: 'hall', activity: 'grow', level: 2 };
    expect(start(scene, 'hall', 'grow')).toEqual({ code: 'works/highest', params });
  });
});

describe('a slot', () => {
  it('is not held by what needs none, whether that runs or waits', () => {
    const scene = placed();
    scene.place('hero');
    expect(scene.state('hero')).toBe('runs');
    start(scene, 'hall');
    expect(scene.state('hall')).toBe('runs');
    scene.pass(5 * MINUTE_MS);
    scene.grant({ energy: 2 });
    scene.send('collect', { thing: 'hero' });
    expect(scene.thing('hero')?.task).toMatchObject({ state: 'waits', isPaid: false, armed: [] });
    start(scene, 'mill');
    start(scene, 'barn');
    const params = { slot: 'builders', things: ['mill', 'barn'] };
    expect(scene.send('reorder', { slot: 'builders', things: ['mill', 'hero'] })).toEqual({
      code: 'works/changed',
      params,
    });
    expect(scene.send('reorder', { slot: 'builders', things: ['barn', 'mill'] })).toHaveLength(2);
    scene.pass(HOUR_MS);
    expect([scene.state('barn'), scene.state('mill')]).toEqual(['runs', 'waits']);
  });

  it('has those that wait in the order in which they came; of one time, by id', () => {
    const order = { slot: { name: 'builders', base: 1 } } as Order;
    const waits = (sinceMs: number, slot = 'builders'): WorksThing => ({
      name: 'hut',
      level: 0,
      task: { state: 'waits', sinceMs, order: { ...order, slot: { name: slot, base: 1 } }, isPaid: true, armed: [] },
    });
    const things = {
      d: waits(7),
      c: waits(9),
      b: waits(7),
      a: waits(8),
      e: waits(1, 'others'),
      f: { name: 'hut', level: 0 },
    };
    expect(lineFor('builders', things).map(([id]) => id)).toEqual(['b', 'd', 'a', 'c']);
    expect(lineFor('builders', { b: waits(7), d: waits(7) }).map(([id]) => id)).toEqual(['b', 'd']);
    expect([lastInLine(order, things, 5), lastInLine(order, things, 20)]).toEqual([10, 20]);
    expect(lastInLine({} as Order, things, 5)).toBe(5);
  });
});

describe('what repeats', () => {
  it('has its next run named after the event that begins it', () => {
    const scene = placed({ again: 1 });
    start(scene, 'hall');
    scene.send('use-card', { thing: 'hall', card: 'again' });
    scene.pass(HOUR_MS);
    const began = scene.log.at(-1);
    expect(began).toMatchObject({ type: 'town/started', thing: 'hall', run: `r${began?.seq}`, card: 'again' });
    expect(scene.log.at(-2)).toMatchObject({ type: 'town/finished', waitsSinceMs: T + HOUR_MS });
  });

  it('waits behind all others, also those of the same millisecond, when its items are not there', () => {
    const scene = placed({ again: 2, builder: 1, wood: 20 });
    for (const thing of ['hall', 'mill']) {
      start(scene, thing);
      scene.send('use-card', { thing, card: 'again' });
    }
    scene.pass(HOUR_MS);
    const since = scene.log.filter(({ type }) => type === 'town/finished').map(({ waitsSinceMs }) => waitsSinceMs);
    expect(since).toEqual([T + HOUR_MS, T + HOUR_MS + 1]);
  });

  it('that goes on at once waits since its end, and not behind those who wait', () => {
    const paint = { on: ['mill'], slot: 'builders', workMs: '1h' };
    const scene = placed({ again: 2, builder: 1, wood: 10 }, { activities: { ...rules.activities, paint } });
    start(scene, 'hall');
    start(scene, 'mill', 'paint');
    for (const thing of ['hall', 'mill']) scene.send('use-card', { thing, card: 'again' });
    scene.pass(HOUR_MS);
    expect([scene.state('hall'), scene.state('mill')]).toEqual(['waits', 'runs']);
    const since = scene.log.filter(({ type }) => type === 'town/finished').map(({ waitsSinceMs }) => waitsSinceMs);
    expect(since).toEqual([T + HOUR_MS, T + HOUR_MS]);
  });
});

describe('the name undefined', () => {
  it('of a slot is not that of an activity without one', () => {
    const dig = { on: ['hall'], workMs: '1h' };
    const scene = placed({}, { slots: { ...rules.slots, undefined: { base: 0 } }, activities: { dig } });
    expect(start(scene, 'hall', 'dig')).toHaveLength(2);
  });

  it('of an item does not enlarge a slot without one', () => {
    const scene = placed({ undefined: 5 }, { slots: { builders: { base: 1, queue: 3 } } });
    start(scene, 'hall');
    start(scene, 'mill');
    expect([scene.state('hall'), scene.state('mill')]).toEqual(['runs', 'waits']);
  });
});

describe('an event of a log', () => {
  const rests: WorksThing = { name: 'hut', level: 3 };
  const order = { activity: 'build', workMs: 9, isCollected: false, isConsumed: false } as Order;
  const armed = [{ card: 'again', times: 2, left: 3 }];
  const doing = (task: object): WorksThing => ({ ...rests, task: task as Task });
  const waits = doing({ state: 'waits', order, sinceMs: 7, isPaid: true, armed });
  const runs = doing({ state: 'runs', order, run: 'r5', work: { leftMs: 9, sinceAtMs: 7 }, armed });
  const holds = doing({ state: 'holds', order });
  const event = { thing: 'hut', seq: 9, at: 20, workLeftMs: 4, waitsSinceMs: 30, run: 'r9', card: 'again', count: 1 };
  const evolved = (type: keyof typeof evolveThing, thing: WorksThing, more = {}) =>
    evolveThing[type](thing, { ...event, ...more, type } as never);

  it.each([
    ['started', [rests, runs, holds]],
    ['finished', [rests, waits, holds]],
    ['reordered', [rests, runs, holds]],
    ['shifted', [rests, waits, holds]],
    ['card-used', [rests, waits, holds]],
    ['collected', [rests]],
  ] as const)('%s changes nothing of a thing that is at something else', (type, things) => {
    for (const thing of things) expect(evolved(type, thing)).toEqual(thing);
  });

  it('that begins a run takes one of the armed repeats, unless no card began it', () => {
    expect(evolved('started', waits)?.task).toMatchObject({ state: 'runs', run: 'r9', armed: [{ left: 2 }] });
    expect(evolved('started', waits, { card: undefined })?.task).toMatchObject({ state: 'runs', armed });
    const last = doing({ ...waits.task, armed: [{ ...armed[0], left: 1 }, ...armed] });
    expect(evolved('started', last)?.task).toMatchObject({ armed });
    expect(evolved('started', doing({ ...waits.task, armed: [] }))?.task).toMatchObject({ state: 'runs', armed: [] });
  });

  it('that ends a run keeps what is armed for the next, and nothing where it rests', () => {
    expect(evolved('finished', runs)).toEqual(doing({ state: 'waits', order, sinceMs: 30, isPaid: false, armed }));
    expect(evolved('finished', runs, { waitsSinceMs: undefined, level: 4 })).toStrictEqual({ name: 'hut', level: 4 });
    expect(evolved('collected', holds)).toEqual(
      doing({ state: 'waits', order, sinceMs: 30, isPaid: false, armed: [] }),
    );
  });
});
