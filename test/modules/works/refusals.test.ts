import { describe, expect, it } from 'vitest';
import { reorder } from '../../../shared/works/decide.ts';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import type { Order, WorksThing } from '../../../shared/works/thing.ts';
import { HOUR_MS, MINUTE_MS, WorksScene } from '../../support/works/works-scene.ts';

const DAY_MS = 24 * HOUR_MS;
const rules = {
  things: { hall: { limit: 1 }, mill: { limit: 1 }, barn: { limit: 1 }, hero: { limit: 1 } },
  slots: { builders: { base: 1, queue: 2 } },
  activities: {
    build: { on: ['hall', 'mill', 'barn'], slot: 'builders', workMs: '1h', takes: { gold: 1, wood: 10 } },
    walk: { on: ['hero'], workMs: '1h', takes: { bread: 1 } },
  },
  cards: {
    gem: { effect: 'finish', msEach: '10m' },
    axe: { effect: 'cut', workMs: '40m' },
    flag: { effect: 'rate', rate: 2, lastsMs: '30d' },
    year: { effect: 'rate', rate: 2, lastsMs: '365d' },
    again: { effect: 'repeat', times: 1000 },
  },
} satisfies WorksRules;

const placed = (items = {}, more: Partial<WorksRules> = {}): WorksScene => {
  const scene = new WorksScene({ ...rules, ...more }, { wood: 100, gold: 100, ...items });
  for (const thing of ['hall', 'mill', 'barn', 'hero']) scene.place(thing);
  return scene;
};
const start = (scene: WorksScene, thing: string, activity = 'build') => scene.send('start', { thing, activity });
const runOf = (scene: WorksScene, thing: string): string => {
  const task = scene.thing(thing)?.task;
  return task?.state === 'runs' ? task.run : '';
};
const short = (item: string, have: number, need: number) => ({
  code: 'item/out-of-stock',
  params: { item, have, need },
});

describe('what is missing is named', () => {
  it('where a slot is free: the first item of which there is too little', () => {
    for (const queueTakes of ['queue', 'start'] as const) {
      const bare = placed({ wood: 9, gold: 1 }, { queueTakes, slots: { builders: { base: 1 } } });
      expect(start(bare, 'hall')).toEqual(short('wood', 9, 10));
    }
  });

  it('where no slot is needed, at the command, whenever others take', () => {
    for (const queueTakes of ['queue', 'start'] as const) {
      const scene = placed({}, { queueTakes });
      expect(start(scene, 'hero', 'walk')).toEqual(short('bread', 0, 1));
      scene.grant({ bread: 1 });
      expect(start(scene, 'hero', 'walk')).toMatchObject([
        { type: 'town/ordered', isPaid: true, items: { bread: -1 } },
        { type: 'town/started' },
      ]);
    }
  });

  it('but nothing is where all is there, and nobody may queue', () => {
    const scene = placed({}, { queueTakes: 'start', slots: { builders: { base: 1 } } });
    expect(start(scene, 'hall')).toMatchObject([{ isPaid: false }, { type: 'town/started', items: { wood: -10 } }]);
    expect(start(scene, 'mill')).toEqual({ code: 'works/queue-full', params: { slot: 'builders', max: 0 } });
  });

  it('nor for what starts by itself: it waits', () => {
    const rest = { on: ['hero'], workMs: ['5m'], takes: { bread: 1 }, auto: true };
    const scene = placed({}, { activities: { ...rules.activities, rest } });
    expect(scene.state('hero')).toBe('waits');
    scene.grant({ bread: 1 });
    expect([scene.state('hero'), scene.count('bread')]).toEqual(['runs', 0]);
  });
});

describe('an amount that is needed', () => {
  const train = { on: ['hall'], workMs: '1h', takes: { wood: 10 } };
  const activities = {
    train: { ...train, needs: { mill: 0, items: { wood: 50, xp: 250 } } },
    rise: { on: ['hall'], workMs: '1m', gives: { level: 1 }, needs: [{ items: { xp: 10 } }, { items: { xp: 20 } }] },
    rest: {
      on: ['hero'],
      workMs: '5m',
      gives: { calm: 1 },
      auto: true,
      below: { calm: 1 },
      needs: { items: { xp: 1 } },
    },
  } satisfies WorksRules['activities'];
  const unmet = (item: string, have: number, need: number) => ({
    code: 'works/needs-item',
    params: { item, have, need },
  });

  it('is asked of the stock after the levels, one after the other, and nothing of it is taken', () => {
    const scene = new WorksScene({ ...rules, activities }, { wood: 50, xp: 249 });
    scene.place('hall');
    expect(start(scene, 'hall', 'train')).toEqual({ code: 'works/needs', params: { thing: 'mill', level: 0 } });
    scene.place('mill');
    expect(start(scene, 'hall', 'train')).toEqual(unmet('xp', 249, 250));
    scene.take({ wood: 1 });
    expect(start(scene, 'hall', 'train')).toEqual(unmet('wood', 49, 50));
    scene.grant({ wood: 1, xp: 1 });
    expect(start(scene, 'hall', 'train')).toHaveLength(2);
    expect(scene.home.items).toEqual({ wood: 40, xp: 250 });
  });

  it('is asked at the command alone: what was ordered goes on without it', () => {
    const scene = new WorksScene({ ...rules, activities, slots: {} }, { wood: 50, xp: 250 });
    for (const name of ['hall', 'mill']) scene.place(name);
    start(scene, 'hall', 'train');
    scene.take({ xp: 250 });
    expect(scene.pass(HOUR_MS).told('finished')).toEqual([['finished hall', HOUR_MS]]);
  });

  it('is that of the level where needs are a list, and ends with it', () => {
    const scene = new WorksScene({ ...rules, activities }, { xp: 10 });
    scene.place('hall');
    expect(start(scene, 'hall', 'rise')).toHaveLength(2);
    scene.pass(MINUTE_MS);
    expect(start(scene, 'hall', 'rise')).toEqual(unmet('xp', 10, 20));
    scene.grant({ xp: 10 });
    expect(start(scene, 'hall', 'rise')).toHaveLength(2);
    scene.pass(MINUTE_MS);
    const params = { thing: 'hall', activity: 'rise', level: 2 };
    expect(start(scene, 'hall', 'rise')).toEqual({ code: 'works/highest', params });
  });

  it('of what starts by itself is asked when it is placed', () => {
    const scene = new WorksScene({ ...rules, activities });
    expect(scene.send('place', { thing: 'hero' })).toEqual(unmet('xp', 0, 1));
    scene.grant({ xp: 1 });
    expect(scene.state(scene.place('hero'))).toBe('runs');
  });
});

describe('a run that is named', () => {
  it('is cancelled where it is the one that runs', () => {
    const scene = placed({}, { cancelGivesBack: 0.5 });
    start(scene, 'hall');
    const run = runOf(scene, 'hall');
    const gone = (thing: string, which: string) =>
      expect(scene.send('cancel', { thing, run: which })).toEqual({
        code: 'works/already-done',
        params: { thing, run: which },
      });
    gone('hall', 'r1');
    start(scene, 'mill');
    gone('mill', run);
    gone('barn', run);
    expect(scene.send('cancel', { thing: 'hall', run })).toMatchObject([{ items: { wood: 5 } }, { thing: 'mill' }]);
    gone('hall', run);
  });

  it('is the thing itself while its order waits: what began meanwhile is not cancelled', () => {
    const scene = placed({}, { slots: { builders: { base: 1, queue: 2 } }, cancelGivesBack: 0 });
    start(scene, 'hall');
    start(scene, 'mill');
    expect(scene.send('cancel', { thing: 'mill', run: 'mill' })).toMatchObject([
      { type: 'town/cancelled', thing: 'mill' },
    ]);
    start(scene, 'mill');
    scene.send('cancel', { thing: 'hall', run: runOf(scene, 'hall') });
    expect(scene.send('cancel', { thing: 'mill', run: 'mill' })).toEqual({
      code: 'works/already-done',
      params: { thing: 'mill', run: 'mill' },
    });
  });

  it('has cards played on it', () => {
    const scene = placed({ axe: 3 });
    start(scene, 'hall');
    const run = runOf(scene, 'hall');
    expect(scene.send('use-card', { thing: 'hall', card: 'axe', run })).toMatchObject([
      { run, dueAt: expect.any(Number) },
    ]);
    const params = { thing: 'hall', run: 'r1' };
    expect(scene.send('use-card', { thing: 'hall', card: 'axe', run: 'r1' })).toEqual({
      code: 'works/already-done',
      params,
    });
  });

  it('does not matter where nothing is named: what does nothing is idle', () => {
    const scene = placed();
    const idle = { code: 'works/idle', params: { thing: 'hall' } };
    expect(scene.send('cancel', { thing: 'hall' })).toEqual(idle);
    expect(scene.send('collect', { thing: 'hall' })).toEqual(idle);
  });
});

describe('those that wait for a slot', () => {
  it('exchange the times since which they wait', () => {
    const scene = placed({}, { slots: { builders: { base: 1, queue: 3 } } });
    start(scene, 'hall');
    scene.pass(MINUTE_MS);
    start(scene, 'mill');
    scene.pass(9 * MINUTE_MS);
    start(scene, 'barn');
    expect(scene.send('reorder', { slot: 'builders', things: ['barn', 'mill'] })).toMatchObject([
      { thing: 'barn', waitsSinceMs: WorksScene.startMs + MINUTE_MS },
      { thing: 'mill', waitsSinceMs: WorksScene.startMs + 10 * MINUTE_MS },
    ]);
    expect(scene.send('reorder', { slot: 'nobody', things: [] })).toEqual({
      code: 'works/idle',
      params: { slot: 'nobody' },
    });
  });

  it('wait one after the other from then on, where two of a merged home came at one time', () => {
    const order = { slot: { name: 'builders', base: 1 } } as Order;
    const waits: WorksThing = {
      name: 'hut',
      level: 0,
      task: { state: 'waits', sinceMs: 70, order, isPaid: true, armed: [] },
    };
    const things = { a: waits, b: waits, c: waits };
    const asked = { payload: { slot: 'builders', things: ['c', 'a', 'b'] }, things };
    const refuse = () => ({ code: 'works/changed' as const, params: {} });
    expect(reorder({ ...asked, refuse })).toEqual([
      { type: 'reordered', thing: 'c', waitsSinceMs: 70 },
      { type: 'reordered', thing: 'a', waitsSinceMs: 71 },
      { type: 'reordered', thing: 'b', waitsSinceMs: 72 },
    ]);
  });
});

describe('a card', () => {
  const running = (items = {}): WorksScene => {
    const scene = placed(items);
    start(scene, 'hall');
    return scene;
  };
  const play = (scene: WorksScene, card: string, more = {}) => scene.send('use-card', { thing: 'hall', card, ...more });

  it.each([
    ['gem', 'count', 'is for cards that cut or rate or repeat'],
    ['axe', 'maxCount', 'is for cards that finish'],
    ['flag', 'maxWastedMs', 'is for cards that cut'],
  ])('%s is not asked for a %s', (card, path, message) => {
    const params = { faults: [{ path, message }] };
    expect(play(running({ [card]: 9 }), card, { [path]: 1 })).toEqual({ code: 'command/invalid', params });
  });

  it('that cuts wastes at most what is allowed', () => {
    const wasted = 20 * MINUTE_MS;
    expect(play(running({ axe: 2 }), 'axe', { count: 2, maxWastedMs: wasted - 1 })).toEqual({
      code: 'card/would-waste',
      params: { wastedMs: wasted, maxWastedMs: wasted - 1 },
    });
    expect(play(running({ axe: 2 }), 'axe', { count: 2, maxWastedMs: wasted })).toMatchObject([
      { wastedMs: wasted },
      { type: 'town/finished' },
    ]);
    expect(play(running({ axe: 2 }), 'axe', { count: 2 })).toHaveLength(2);
  });

  it('that finishes costs at most what is allowed', () => {
    expect(play(running({ gem: 6 }), 'gem', { maxCount: 5 })).toEqual({
      code: 'card/would-cost',
      params: { count: 6 },
    });
    expect(play(running({ gem: 6 }), 'gem', { maxCount: 6 })).toMatchObject([{ count: 6 }, { type: 'town/finished' }]);
  });

  it('that boosts lasts a year at most', () => {
    const endsAt = WorksScene.startMs + 390 * DAY_MS;
    expect(play(running({ flag: 13 }), 'flag', { count: 13 })).toEqual({
      code: 'boost/too-long',
      params: { endsAt, maxMs: 365 * DAY_MS },
    });
    expect(play(running({ year: 1 }), 'year')).toMatchObject([{ effect: 'rate' }]);
  });

  it('that repeats is armed ten thousand times at most', () => {
    const scene = running({ again: 20 });
    expect(play(scene, 'again', { count: 10 })).toMatchObject([{ effect: 'repeat', times: 1000 }]);
    const params = { have: 10_000, max: 10_000 };
    expect(play(scene, 'again')).toEqual({ code: 'works/repeats-full', params });
  });
});
