import { describe, expect, it } from 'vitest';
import { higherCounters } from '../../../shared/home.ts';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import { HOUR_MS, MINUTE_MS, WorksScene } from '../../support/works/works-scene.ts';

const build = { on: ['hall', 'mill', 'barn', 'well'], slot: 'builders', workMs: '1h', takes: { wood: 10 } } as const;
const rules = {
  things: {
    hall: { limit: 1 },
    mill: { limit: 1 },
    barn: { limit: 1 },
    well: { limit: 1 },
    plot: { limit: 3, takes: { gold: 20 } },
  },
  slots: { builders: { base: 1, item: 'builder', queue: 2 } },
  activities: {
    build: { ...build, on: [...build.on] },
    sow: { on: ['plot'], workMs: '30m', takes: { seed: 1 }, gives: { wheat: 3 } },
  },
} satisfies WorksRules;

const town = (items = {}, more: Partial<WorksRules> = {}): WorksScene => new WorksScene({ ...rules, ...more }, items);
const placed = (items = {}, more: Partial<WorksRules> = {}): WorksScene => {
  const scene = town({ wood: 100, ...items }, more);
  for (const thing of ['hall', 'mill', 'barn', 'well']) scene.place(thing);
  return scene;
};
const start = (scene: WorksScene, thing: string, activity = 'build') => scene.send('start', { thing, activity });
const code = (what: string, params = {}) => ({ code: what, params: expect.objectContaining(params) });

describe('place, remove, busy', () => {
  it('calls what there is one of by its name, and others by new ids', () => {
    const scene = town({ gold: 100 });
    expect(scene.place('hall')).toBe('hall');
    expect([scene.place('plot'), scene.place('plot')]).toEqual(['anna~t2', 'anna~t3']);
    expect(scene.thing('anna~t2')).toEqual({ name: 'plot', level: 0 });
  });

  it('places no more than the limit, 100 where none is given', () => {
    const scene = town({ gold: 100 }, { things: { ...rules.things, chest: {} } });
    scene.place('hall');
    expect(scene.send('place', { thing: 'hall' })).toEqual(code('works/limit', { thing: 'hall', limit: 1 }));
    for (let count = 0; count < 3; count++) scene.place('plot');
    expect(scene.send('place', { thing: 'plot' })).toEqual(code('works/limit', { limit: 3 }));
    for (let count = 0; count < 100; count++) scene.place('chest');
    expect(scene.send('place', { thing: 'chest' })).toEqual(code('works/limit', { limit: 100 }));
    expect(scene.send('place', { thing: 'moat' })).toEqual(code('thing/unknown', { thing: 'moat' }));
  });

  it('takes the price of a thing at once', () => {
    const scene = town({ gold: 30 });
    scene.place('plot');
    expect(scene.count('gold')).toBe(10);
    expect(scene.send('place', { thing: 'plot' })).toEqual(
      code('item/out-of-stock', { item: 'gold', have: 10, need: 20 }),
    );
  });

  it('removes what rests alone, and gives nothing for it', () => {
    const scene = town({ gold: 20, seed: 1 });
    const plot = scene.place('plot');
    start(scene, plot, 'sow');
    expect(scene.send('remove', { thing: plot })).toEqual(code('works/busy', { activity: 'sow' }));
    scene.pass(HOUR_MS / 2).send('remove', { thing: plot });
    expect(scene.thing(plot)).toBeUndefined();
    expect(scene.home.items).toEqual({ wheat: 3 });
    expect(scene.send('remove', { thing: plot })).toEqual(code('thing/unknown', { thing: plot }));
  });

  it('does one thing at a time', () => {
    const scene = placed();
    start(scene, 'hall');
    start(scene, 'mill');
    expect([scene.state('hall'), scene.state('mill')]).toEqual(['runs', 'waits']);
    expect(start(scene, 'hall')).toEqual(code('works/busy'));
    expect(start(scene, 'mill')).toEqual(code('works/busy'));
  });

  it('does nothing that the rules do not have, or not for this thing', () => {
    const scene = placed({ seed: 1 });
    expect(start(scene, 'hall', 'fly')).toEqual(code('activity/unknown', { activity: 'fly' }));
    expect(start(scene, 'hall', 'sow')).toEqual(code('activity/not-here', { activity: 'sow', thing: 'hall' }));
    expect(start(scene, 'hall', 'constructor')).toEqual(code('activity/unknown'));
    expect(start(scene, 'constructor')).toEqual(code('thing/unknown'));
  });
});

describe('a limit by the level of another thing, and the price of the next', () => {
  const grow = { on: ['hall'], gives: { level: 1 } };
  const things = {
    hall: { limit: 2 },
    plot: { limit: { hall: [1, 1, 3] }, takes: [{ gold: 1 }, { gold: 10 }] },
    gate: { limit: { hall: [0, 1] } },
  } satisfies WorksRules['things'];
  const scene = () => new WorksScene({ things, activities: { grow } }, { gold: 100 });

  it('is that of its level: the highest of several, level 0 without any', () => {
    const made = scene();
    made.place('plot');
    expect(made.send('place', { thing: 'plot' })).toEqual({
      code: 'works/limit',
      params: { thing: 'plot', limit: 1, by: 'hall', level: 0 },
    });
    const [hall] = [made.place('hall'), made.place('hall')];
    for (let level = 0; level < 2; level++) start(made, hall, 'grow');
    for (let count = 0; count < 2; count++) made.place('plot');
    expect(made.send('place', { thing: 'plot' })).toEqual(code('works/limit', { limit: 3, by: 'hall', level: 2 }));
  });

  it('does not rise with the level of any other thing', () => {
    const made = new WorksScene({ things, activities: { grow: { ...grow, on: ['hall', 'plot'] } } }, { gold: 100 });
    const plot = made.place('plot');
    for (let level = 0; level < 2; level++) start(made, plot, 'grow');
    expect(made.send('place', { thing: 'plot' })).toEqual(code('works/limit', { limit: 1, by: 'hall', level: 0 }));
  });

  it('holds by its last entry for all higher levels, and lets what there is stay', () => {
    const made = scene();
    const hall = made.place('hall');
    for (let level = 0; level < 7; level++) start(made, hall, 'grow');
    for (let count = 0; count < 3; count++) made.place('plot');
    made.send('remove', { thing: hall });
    expect(made.send('place', { thing: 'plot' })).toEqual(code('works/limit', { limit: 1, level: 0 }));
    expect(Object.keys(made.home.things.town ?? {})).toHaveLength(3);
  });

  it('of one at most names the thing by its name', () => {
    const made = scene();
    expect(made.send('place', { thing: 'gate' })).toEqual(code('works/limit', { limit: 0, by: 'hall', level: 0 }));
    start(made, made.place('hall'), 'grow');
    expect(made.place('gate')).toBe('gate');
  });

  it('takes the price of the first, the second, and the last of the list for all others', () => {
    const made = scene();
    const hall = made.place('hall');
    for (let level = 0; level < 2; level++) start(made, hall, 'grow');
    const gold = () => made.count('gold');
    const first = made.place('plot');
    expect(gold()).toBe(99);
    made.place('plot');
    expect(gold()).toBe(89);
    made.place('plot');
    expect(gold()).toBe(79);
    made.send('remove', { thing: first });
    made.take({ gold: 70 });
    expect(made.send('place', { thing: 'plot' })).toEqual(
      code('item/out-of-stock', { item: 'gold', have: 9, need: 10 }),
    );
  });
});

describe('slot, queue', () => {
  it('holds a slot only while something runs, and starts the next at the instant when it is free', () => {
    const scene = placed();
    start(scene, 'mill');
    scene.pass(10 * MINUTE_MS);
    start(scene, 'hall');
    start(scene, 'barn');
    scene.pass(10 * HOUR_MS);
    expect(scene.told('started', 'finished')).toEqual([
      ['started mill', 0],
      ['finished mill', HOUR_MS],
      ['started hall', HOUR_MS],
      ['finished hall', 2 * HOUR_MS],
      ['started barn', 2 * HOUR_MS],
      ['finished barn', 3 * HOUR_MS],
    ]);
  });

  it('lets those go first that were ordered first, also within one millisecond', () => {
    const scene = placed();
    for (const thing of ['well', 'mill', 'barn']) start(scene, thing);
    scene.pass(10 * HOUR_MS);
    expect(scene.told('started').map(([what]) => what)).toEqual(['started well', 'started mill', 'started barn']);
  });

  it('has one more slot for each item of the slot, from the moment when it comes', () => {
    const scene = placed({ builder: 1 });
    for (const thing of ['hall', 'mill', 'barn', 'well']) start(scene, thing);
    expect(['hall', 'mill', 'barn', 'well'].map(scene.state)).toEqual(['runs', 'runs', 'waits', 'waits']);
    scene.pass(MINUTE_MS).grant({ builder: 1 });
    expect(scene.told('started').at(-1)).toEqual(['started barn', MINUTE_MS]);
    scene.take({ builder: 2 });
    scene.pass(HOUR_MS - MINUTE_MS);
    // The running order goes on; with one slot for the barn no other order starts.
    expect(['hall', 'mill', 'barn', 'well'].map(scene.state)).toEqual(['rests', 'rests', 'runs', 'waits']);
  });

  it('lets as many wait as the queue says, and none without one', () => {
    const scene = placed();
    for (const thing of ['hall', 'mill', 'barn']) start(scene, thing);
    expect(start(scene, 'well')).toEqual(code('works/queue-full', { slot: 'builders', max: 2 }));
    expect(scene.count('wood')).toBe(70);
    const without = placed({}, { slots: { builders: { base: 1 } } });
    start(without, 'hall');
    expect(start(without, 'mill')).toEqual(code('works/queue-full', { max: 0 }));
    without.pass(HOUR_MS);
    start(without, 'mill');
    expect(without.state('mill')).toBe('runs');
  });

  it('lets nothing wait without a slot: what is missing is refused', () => {
    const scene = town({ gold: 20 });
    const plot = scene.place('plot');
    expect(start(scene, plot, 'sow')).toEqual(code('item/out-of-stock', { item: 'seed', have: 0, need: 1 }));
    expect(scene.state(plot)).toBe('rests');
  });
});

describe('takes', () => {
  it('at the command, so that what waits is paid for', () => {
    const scene = placed({ wood: 15 });
    start(scene, 'hall');
    expect(start(scene, 'mill')).toEqual(code('item/out-of-stock', { item: 'wood', have: 5, need: 10 }));
    scene.grant({ wood: 5 });
    start(scene, 'mill');
    expect(scene.count('wood')).toBe(0);
    expect(scene.state('mill')).toBe('waits');
  });

  it('with queueTakes "start" when it starts; who lacks items keeps the place and lets others pass', () => {
    const activities = { ...rules.activities, cheap: { ...build, on: ['well'], takes: { stone: 1 } } };
    const scene = placed({ wood: 10, stone: 1 }, { activities, queueTakes: 'start' });
    start(scene, 'hall');
    expect(scene.count('wood')).toBe(0);
    start(scene, 'mill');
    start(scene, 'well', 'cheap');
    expect(scene.count('stone')).toBe(1);
    scene.pass(HOUR_MS);
    expect(['hall', 'mill', 'well'].map(scene.state)).toEqual(['rests', 'waits', 'runs']);
    expect(scene.count('stone')).toBe(0);
    scene.pass(HOUR_MS / 2);
    start(scene, 'hall');
    scene.grant({ wood: 20 });
    expect(scene.count('wood')).toBe(20);
    scene.pass(2 * HOUR_MS);
    expect(scene.told('started').slice(2)).toEqual([
      ['started mill', 2 * HOUR_MS],
      ['started hall', 3 * HOUR_MS],
    ]);
  });

  it('starts what lacks items at the moment when they come', () => {
    const scene = placed({ wood: 0 }, { queueTakes: 'start' });
    start(scene, 'hall');
    expect(scene.state('hall')).toBe('waits');
    scene.pass(5 * MINUTE_MS).grant({ wood: 10 });
    expect(scene.told('started')).toEqual([['started hall', 5 * MINUTE_MS]]);
  });

  it('with a free slot, no items and no queue says which item is missing', () => {
    const scene = placed({ wood: 3 }, { queueTakes: 'start', slots: { builders: { base: 1 } } });
    expect(start(scene, 'hall')).toEqual(code('item/out-of-stock', { item: 'wood', have: 3, need: 10 }));
  });
});

describe('level', () => {
  const leveled = {
    upgrade: {
      on: ['hall'],
      workMs: ['1m', '10m', '1h'],
      takes: [{ wood: 10 }, { wood: 40 }, { wood: 200 }],
      gives: { level: 1, gold: 5 },
    },
    paint: { on: ['hall'], workMs: '1m', takes: { wood: 1 } },
    build: { on: ['mill'], workMs: '1m', needs: { hall: 2 } },
  } satisfies WorksRules['activities'];

  it('reads lists at the level at which it is ordered; past their end it is the highest', () => {
    const scene = placed({ wood: 1000 }, { activities: leveled });
    for (const waitMs of [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS]) {
      start(scene, 'hall', 'upgrade');
      scene.pass(waitMs - 1);
      expect(scene.state('hall')).toBe('runs');
      scene.pass(1);
    }
    expect(scene.thing('hall')).toEqual({ name: 'hall', level: 3 });
    expect(scene.count('wood')).toBe(1000 - 250);
    expect(start(scene, 'hall', 'upgrade')).toEqual(code('works/highest', { thing: 'hall', level: 3 }));
  });

  it('has one value for every level, and a level is no item', () => {
    const scene = placed({}, { activities: leveled });
    start(scene, 'hall', 'upgrade');
    scene.pass(MINUTE_MS);
    start(scene, 'hall', 'paint');
    scene.pass(MINUTE_MS);
    expect(scene.home.items).toEqual({ wood: 89, gold: 5 });
  });

  it('asks for what it needs at the command alone', () => {
    const scene = placed({ wood: 1000 }, { activities: leveled });
    expect(start(scene, 'mill')).toEqual(code('works/needs', { thing: 'hall', level: 2 }));
    for (const waitMs of [MINUTE_MS, 10 * MINUTE_MS]) {
      start(scene, 'hall', 'upgrade');
      scene.pass(waitMs);
    }
    start(scene, 'mill');
    scene.send('remove', { thing: 'hall' });
    scene.pass(MINUTE_MS);
    expect(scene.told('finished').at(-1)).toEqual(['finished mill', 12 * MINUTE_MS]);
  });
});

describe('end', () => {
  const ends = {
    gather: { on: ['hall'], workMs: '1h', gives: { berry: 3, level: 1 } },
    grow: { on: ['hall'], workMs: '1h', gives: { wheat: 3, level: 1 }, collect: true },
    open: { on: ['mill'], workMs: '3h', gives: { gold: 50 }, consumes: true },
    hatch: { on: ['mill'], workMs: '1h', gives: { chick: 1 }, collect: true, consumes: true },
  } satisfies WorksRules['activities'];
  const scene = () => placed({}, { activities: ends });

  it('gives at its due time, to the millisecond', () => {
    const town = scene();
    start(town, 'hall', 'gather');
    expect(town.pass(HOUR_MS - 1).count('berry')).toBe(0);
    expect(town.pass(1).count('berry')).toBe(3);
    expect(town.thing('hall')).toEqual({ name: 'hall', level: 1 });
  });

  it('with collect holds what it gives until somebody collects', () => {
    const town = scene();
    start(town, 'hall', 'grow');
    expect(town.send('collect', { thing: 'hall' })).toEqual(code('works/busy'));
    town.pass(5 * HOUR_MS);
    expect([town.count('wheat'), town.thing('hall')?.level, town.state('hall')]).toEqual([0, 0, 'holds']);
    expect(start(town, 'hall', 'gather')).toEqual(code('works/uncollected', { activity: 'grow' }));
    expect(town.send('remove', { thing: 'hall' })).toEqual(code('works/uncollected'));
    expect(town.send('cancel', { thing: 'hall' })).toEqual(code('works/uncollected'));
    town.send('collect', { thing: 'hall' });
    expect([town.count('wheat'), town.thing('hall')?.level, town.state('hall')]).toEqual([3, 1, 'rests']);
    expect(town.send('collect', { thing: 'hall' })).toEqual(code('works/idle'));
  });

  it('with consumes is gone then, after it was collected where it is', () => {
    const town = scene();
    start(town, 'mill', 'open');
    town.pass(3 * HOUR_MS);
    expect([town.thing('mill'), town.count('gold')]).toEqual([undefined, 50]);
    town.place('mill');
    start(town, 'mill', 'hatch');
    town.pass(HOUR_MS);
    expect(town.state('mill')).toBe('holds');
    town.send('collect', { thing: 'mill' });
    expect([town.thing('mill'), town.count('chick')]).toEqual([undefined, 1]);
  });
});

describe('what takes no time', () => {
  const market = {
    things: { shop: { limit: 1 }, egg: { limit: 5 } },
    slots: { builders: { base: 0, queue: 2 } },
    activities: {
      bake: { on: ['shop'], workMs: '1h', takes: { wheat: 1 }, gives: { bread: 1 } },
      wait: { on: ['shop'], slot: 'builders', workMs: '1h' },
      sell: {
        on: ['shop'],
        takes: { bread: 2, sack: 1 },
        gives: { gold: 5, sack: 1 },
        needs: { items: { license: 1 } },
      },
      grow: { on: ['shop'], takes: [{ gold: 5 }, { gold: 50 }], gives: [{ level: 1 }, { level: 2, fame: 1 }] },
      eat: { on: ['egg'], gives: { energy: 1 }, consumes: true },
      hatch: { on: ['egg'], workMs: '1h' },
    },
  } satisfies WorksRules;
  const scene = (items = {}) => {
    const made = new WorksScene(market, { bread: 2, sack: 1, license: 1, wheat: 1, ...items });
    made.place('shop');
    return made;
  };

  it('is done by one event, with what it took and gave', () => {
    const shop = scene();
    expect(start(shop, 'shop', 'sell')).toStrictEqual([
      expect.objectContaining({ type: 'town/done', thing: 'shop', activity: 'sell', items: { bread: -2, gold: 5 } }),
    ]);
    expect(shop.home.items).toEqual({ sack: 1, license: 1, wheat: 1, gold: 5 });
    expect(shop.state('shop')).toBe('rests');
  });

  it('is refused as anything else is: what is needed, what it takes, where its lists end', () => {
    expect(start(scene({ license: 0 }), 'shop', 'sell')).toEqual(code('works/needs-item', { item: 'license' }));
    expect(start(scene({ sack: 0 }), 'shop', 'sell')).toEqual(
      code('item/out-of-stock', { item: 'sack', have: 0, need: 1 }),
    );
    const shop = scene({ gold: 100 });
    start(shop, 'shop', 'grow');
    expect(start(shop, 'shop', 'grow')).toMatchObject([{ level: 3, items: { gold: -50, fame: 1 } }]);
    expect(shop.thing('shop')).toEqual({ name: 'shop', level: 3 });
    expect(start(shop, 'shop', 'grow')).toEqual(code('works/highest', { thing: 'shop', activity: 'grow', level: 3 }));
  });

  it('is done while the thing is at something else, which goes on', () => {
    const shop = scene({ gold: 5 });
    start(shop, 'shop', 'bake');
    shop.pass(HOUR_MS / 2);
    start(shop, 'shop', 'grow');
    expect([shop.state('shop'), shop.thing('shop')?.level]).toEqual(['runs', 1]);
    shop.pass(HOUR_MS);
    expect(shop.told('finished')).toEqual([['finished shop', HOUR_MS]]);
    expect(shop.thing('shop')).toEqual({ name: 'shop', level: 1 });
    start(shop, 'shop', 'wait');
    expect(start(shop, 'shop', 'sell')).toHaveLength(1);
    expect(shop.state('shop')).toBe('waits');
  });

  it('with consumes ends a thing that rests, and no other', () => {
    const shop = scene();
    const [one, other] = [shop.place('egg'), shop.place('egg')];
    start(shop, one, 'hatch');
    expect(start(shop, one, 'eat')).toEqual(code('works/busy', { activity: 'hatch' }));
    expect(start(shop, other, 'eat')).toMatchObject([{ isConsumed: true, items: { energy: 1 } }]);
    expect([shop.thing(one)?.name, shop.thing(other)]).toEqual(['egg', undefined]);
  });

  it('starts at that instant what waited for what it gave', () => {
    const waiting = { ...market.activities, bake: { ...market.activities.bake, on: ['oven'], auto: true } };
    const mill = { on: ['shop'], gives: { wheat: 1 } };
    const things = { ...market.things, oven: { limit: 1 } };
    const shop = new WorksScene({ ...market, things, activities: { ...waiting, mill } });
    for (const name of ['shop', 'oven']) shop.place(name);
    expect(start(shop, 'shop', 'mill')).toMatchObject([{ type: 'town/done' }, { type: 'town/started', thing: 'oven' }]);
  });
});

describe('cancel', () => {
  const priced = { trip: { ...build, on: ['hall', 'mill'], takes: { wood: 5, rope: 1 } } };
  const scene = (share: number) => placed({ rope: 2 }, { activities: priced, cancelGivesBack: share });

  it('gives everything back of what waits, and the share, rounded down, of what runs', () => {
    const town = scene(0.5);
    start(town, 'hall', 'trip');
    start(town, 'mill', 'trip');
    expect(town.home.items).toEqual({ wood: 90 });
    town.send('cancel', { thing: 'mill' });
    expect(town.home.items).toEqual({ wood: 95, rope: 1 });
    town.send('cancel', { thing: 'hall' });
    expect(town.home.items).toEqual({ wood: 97, rope: 1 });
    expect(town.send('cancel', { thing: 'hall' })).toEqual(code('works/idle'));
    town.pass(10 * HOUR_MS);
    expect(town.told('finished')).toEqual([]);
  });

  it('counts a share as it is written: 0.29 of 100 is 29', () => {
    const activities = { trip: { on: ['hall'], workMs: '1h', takes: { wood: 100 } } };
    const town = placed({}, { activities, cancelGivesBack: 0.29 });
    start(town, 'hall', 'trip');
    town.send('cancel', { thing: 'hall' });
    expect(town.count('wood')).toBe(29);
  });

  it('gives back only what was taken', () => {
    const town = placed({ rope: 2 }, { activities: priced, cancelGivesBack: 1, queueTakes: 'start' });
    start(town, 'hall', 'trip');
    start(town, 'mill', 'trip');
    town.send('cancel', { thing: 'mill' });
    expect(town.home.items).toEqual({ wood: 95, rope: 1 });
  });

  it('frees the slot for the next at that instant', () => {
    const town = scene(0);
    start(town, 'hall', 'trip');
    start(town, 'mill', 'trip');
    town.pass(MINUTE_MS).send('cancel', { thing: 'hall' });
    expect(town.told('started').at(-1)).toEqual(['started mill', MINUTE_MS]);
  });
});

describe('reorder', () => {
  const four = () => {
    const scene = placed({ wood: 100 });
    for (const thing of ['hall', 'mill', 'barn']) start(scene, thing);
    return scene;
  };

  it('lets those that wait for a slot exchange their times', () => {
    const scene = four();
    scene.send('reorder', { slot: 'builders', things: ['barn', 'mill'] });
    scene.pass(5 * HOUR_MS);
    expect(scene.told('started').map(([what]) => what)).toEqual(['started hall', 'started barn', 'started mill']);
  });

  it('keeps those behind who come later', () => {
    const scene = four();
    scene.pass(1).send('cancel', { thing: 'mill' });
    start(scene, 'well');
    scene.send('reorder', { slot: 'builders', things: ['well', 'barn'] });
    scene.send('cancel', { thing: 'hall' });
    start(scene, 'hall');
    scene.pass(10 * HOUR_MS);
    expect(scene.told('started').map(([what]) => what)).toEqual(
      ['hall', 'well', 'barn', 'hall'].map((one) => `started ${one}`),
    );
  });

  it('is refused where others wait now, and says who', () => {
    const scene = four();
    for (const things of [['barn'], ['barn', 'barn'], ['barn', 'hall'], ['barn', 'mill', 'hall'], []]) {
      expect(scene.send('reorder', { slot: 'builders', things })).toEqual(
        code('works/changed', { things: ['mill', 'barn'] }),
      );
    }
    expect(scene.send('reorder', { slot: 'ships', things: ['barn'] })).toEqual(code('works/idle', { slot: 'ships' }));
  });
});

describe('auto, below', () => {
  const hero = {
    things: { hero: { limit: 2 } },
    activities: { rest: { on: ['hero'], workMs: '5m', gives: { energy: 1 }, auto: true, below: { energy: 5 } } },
  } satisfies WorksRules;

  it('starts by itself when placed and after each end, and waits at the cap', () => {
    const scene = new WorksScene(hero);
    const id = scene.place('hero');
    scene.pass(12 * MINUTE_MS);
    expect(scene.told('started').map(([, atMs]) => atMs)).toEqual([0, 5 * MINUTE_MS, 10 * MINUTE_MS]);
    scene.pass(HOUR_MS);
    expect([scene.count('energy'), scene.state(id)]).toEqual([5, 'waits']);
    scene.take({ energy: 2 });
    expect(scene.told('started').at(-1)).toEqual([`started ${id}`, 72 * MINUTE_MS]);
    expect(scene.pass(HOUR_MS).count('energy')).toBe(5);
  });

  it('is one who cannot do anything else, until it is cancelled', () => {
    const activities = { ...hero.activities, hunt: { on: ['hero'], workMs: '1m' } };
    const scene = new WorksScene({ ...hero, activities });
    const id = scene.place('hero');
    expect(start(scene, id, 'hunt')).toEqual(code('works/busy', { activity: 'rest' }));
    scene.send('cancel', { thing: id });
    start(scene, id, 'hunt');
    scene.pass(HOUR_MS);
    expect([scene.count('energy'), scene.state(id)]).toEqual([0, 'rests']);
    start(scene, id, 'rest');
    expect(scene.pass(HOUR_MS).count('energy')).toBe(5);
  });

  it('takes what it needs at each start, and waits for it', () => {
    const grind = { on: ['hero'], workMs: '1m', takes: { wheat: 2 }, gives: { flour: 1 }, auto: true };
    const scene = new WorksScene({ ...hero, activities: { grind } }, { wheat: 5 });
    scene.place('hero');
    scene.pass(HOUR_MS).grant({ wheat: 1 });
    scene.pass(HOUR_MS);
    expect(scene.home.items).toEqual({ flour: 3 });
    expect(scene.told('started').map(([, atMs]) => atMs)).toEqual([0, MINUTE_MS, HOUR_MS]);
  });

  it('with collect goes on when it was collected', () => {
    const dig = { on: ['hero'], workMs: '1m', gives: { ore: 1 }, auto: true, collect: true };
    const scene = new WorksScene({ ...hero, activities: { dig } });
    const id = scene.place('hero');
    scene.pass(HOUR_MS).send('collect', { thing: id });
    scene.pass(HOUR_MS);
    expect(scene.told('started').map(([, atMs]) => atMs)).toEqual([0, HOUR_MS]);
    expect([scene.count('ore'), scene.state(id)]).toEqual([1, 'holds']);
  });

  it('is not placed before what it needs', () => {
    const { rest } = hero.activities;
    const scene = new WorksScene({
      things: { ...hero.things, hall: { limit: 1 } },
      activities: { rest: { ...rest, needs: { hall: 0 } } },
    });
    expect(scene.send('place', { thing: 'hero' })).toEqual(code('works/needs', { thing: 'hall', level: 0 }));
    scene.place('hall');
    expect(scene.state(scene.place('hero'))).toBe('runs');
  });
});

describe('what waits to be collected', () => {
  const dig = { on: ['mine'], workMs: '1h', gives: { ore: 5 }, auto: true, collect: true, holds: 3 } as const;
  const activities = { dig: { ...dig, on: [...dig.on] } };
  const mining = { things: { mine: { limit: 1 } }, activities } satisfies WorksRules;
  const scene = (rules: WorksRules = mining, items = {}) => {
    const made = new WorksScene(rules, items);
    made.place('mine');
    return made;
  };

  it('adds up, and the work waits at the capacity until it is collected', () => {
    const mine = scene();
    mine.pass(2.5 * HOUR_MS);
    expect(mine.thing('mine')).toMatchObject({
      task: { state: 'runs' },
      held: { ends: 2, items: { ore: 10 }, levels: 0 },
    });
    mine.pass(10 * HOUR_MS);
    expect([mine.state('mine'), mine.thing('mine')?.held?.items, mine.count('ore')]).toEqual(['holds', { ore: 15 }, 0]);
    expect(mine.told('started').length).toBe(3);
    expect(mine.send('collect', { thing: 'mine' })).toMatchObject([
      {
        type: 'town/collected',
        activity: 'dig',
        items: { ore: 15 },
        waitsSinceMs: WorksScene.startMs + 12.5 * HOUR_MS,
      },
      { type: 'town/started' },
    ]);
    expect([mine.count('ore'), mine.thing('mine')?.held]).toEqual([15, undefined]);
    expect(mine.pass(HOUR_MS).thing('mine')).toMatchObject({ held: { ends: 1 } });
  });

  it('is collected while the next runs on, which ends when it was to end', () => {
    const mine = scene();
    mine.pass(2.5 * HOUR_MS);
    expect(mine.send('collect', { thing: 'mine' })).toStrictEqual([
      expect.objectContaining({ type: 'town/collected', items: { ore: 10 } }),
    ]);
    expect(mine.send('collect', { thing: 'mine' })).toEqual(code('works/busy'));
    mine.pass(HOUR_MS / 2);
    expect(mine.told('finished').at(-1)).toEqual(['finished mine', 3 * HOUR_MS]);
    expect([mine.count('ore'), mine.thing('mine')?.held?.ends]).toEqual([10, 1]);
  });

  it('is collected also from what waits for its items, and keeps levels', () => {
    const smelt = { on: ['mine'], workMs: '1h', takes: { coal: 1 }, gives: { iron: 1, level: 1 }, auto: true };
    const mine = scene({ ...mining, activities: { smelt: { ...smelt, collect: true, holds: 5 } } }, { coal: 2 });
    mine.pass(10 * HOUR_MS);
    expect([mine.state('mine'), mine.thing('mine')?.level]).toEqual(['waits', 0]);
    mine.send('collect', { thing: 'mine' });
    expect([mine.state('mine'), mine.thing('mine')?.level, mine.count('iron')]).toEqual(['waits', 2, 2]);
    mine.grant({ coal: 1 });
    expect(mine.state('mine')).toBe('runs');
  });

  it('is not lost by a cancel, a card or other rules', () => {
    const gem = { effect: 'finish', msEach: '10m' } as const;
    const mine = scene({ ...mining, cards: { gem } }, { gem: 9 });
    mine.pass(1.5 * HOUR_MS);
    expect(mine.send('cancel', { thing: 'mine' })).toEqual(code('works/uncollected', { activity: 'dig' }));
    const stop = { module: 'town', thing: 'mine', by: 'eve', reason: 'test' };
    expect(mine.send('ops:stop', stop)).toEqual(code('works/uncollected'));
    mine.send('use-card', { thing: 'mine', card: 'gem' });
    mine.change({ ...mining, activities: { dig: { ...activities.dig, gives: { ore: 1 }, holds: 2, workMs: '1m' } } });
    expect(mine.thing('mine')?.held).toEqual({ ends: 2, items: { ore: 10 }, levels: 0 });
    mine.pass(2 * HOUR_MS).send('collect', { thing: 'mine' });
    expect(mine.count('ore')).toBe(15);
    mine.send('cancel', { thing: 'mine' });
    expect(mine.thing('mine')).toEqual({ name: 'mine', level: 0 });
  });
});

describe('at most', () => {
  const daily = { times: 2, per: { cron: '0 0 * * *', timeZone: 'UTC' } };
  const activities = {
    medal: { on: ['hall'], gives: { medal: 1 }, atMost: { times: 1 } },
    quest: { on: ['hall', 'mill'], workMs: '1h', takes: { wood: 1 }, gives: { gold: 1 }, atMost: daily },
  } satisfies WorksRules['activities'];
  const scene = () => placed({ wood: 9 }, { activities, cancelGivesBack: 1 });
  const DAY_MS = 24 * HOUR_MS;
  const midnightMs = Math.ceil(WorksScene.startMs / DAY_MS) * DAY_MS;

  it('once is once for ever, also when the thing is another one', () => {
    const town = scene();
    expect(start(town, 'hall', 'medal')).toMatchObject([{ type: 'town/done', counters: { 'times:medal': 1 } }]);
    expect(start(town, 'hall', 'medal')).toEqual({ code: 'works/at-most', params: { activity: 'medal', times: 1 } });
    town.send('remove', { thing: 'hall' });
    town.place('hall');
    town.pass(400 * DAY_MS);
    expect(start(town, 'hall', 'medal')).toEqual(code('works/at-most'));
    expect(town.count('medal')).toBe(1);
  });

  it('so many times in a period is counted over all things, and says when the next one begins', () => {
    const town = scene();
    for (const thing of ['hall', 'mill']) expect(start(town, thing, 'quest')).toHaveLength(2);
    town.pass(HOUR_MS);
    const full = { code: 'works/at-most', params: { activity: 'quest', times: 2, opensAt: midnightMs } };
    expect(start(town, 'hall', 'quest')).toEqual(full);
    town.pass(midnightMs - WorksScene.startMs - HOUR_MS - 1);
    expect(start(town, 'hall', 'quest')).toEqual(full);
    town.pass(1);
    expect(start(town, 'hall', 'quest')).toHaveLength(2);
  });

  it('counts what is refused not at all, and what is cancelled as done', () => {
    const town = scene();
    town.take({ wood: 8 });
    start(town, 'hall', 'quest');
    expect(start(town, 'mill', 'quest')).toEqual(code('item/out-of-stock'));
    town.send('cancel', { thing: 'hall' });
    start(town, 'hall', 'quest');
    expect(start(town, 'mill', 'quest')).toEqual(code('works/at-most'));
  });

  it('by other rules keeps its period to the end, and a count without one says nothing of a period', () => {
    const town = scene();
    for (const thing of ['hall', 'mill']) start(town, thing, 'quest');
    start(town, 'hall', 'medal');
    const yearly = { times: 1, per: { cron: '0 0 1 1 *', timeZone: 'UTC' } };
    town.change({ ...rules, activities: { ...activities, quest: { ...activities.quest, atMost: { times: 1 } } } });
    town.pass(HOUR_MS);
    expect(start(town, 'hall', 'quest')).toEqual(code('works/at-most', { opensAt: midnightMs }));
    town.pass(DAY_MS);
    start(town, 'hall', 'quest');
    expect(start(town, 'mill', 'quest')).toEqual({ code: 'works/at-most', params: { activity: 'quest', times: 1 } });
    town.change({ ...rules, activities: { ...activities, medal: { ...activities.medal, atMost: yearly } } });
    expect(start(town, 'hall', 'medal')).toHaveLength(1);
    expect(start(town, 'hall', 'medal')).toEqual(code('works/at-most', { opensAt: Date.UTC(2026, 0, 1) }));
  });

  it('in a merge of homes is the count of the later period, or the higher one in the same', () => {
    const merged = (mine: readonly [day: number, uses: number], guest: readonly [day: number, uses: number]) => {
      const [town, other] = [mine, guest].map(([day, uses]) => {
        const one = scene();
        one.pass(day * DAY_MS);
        for (let at = 0; at < uses; at++) start(one, at === 0 ? 'hall' : 'mill', 'quest');
        return one;
      }) as [WorksScene, WorksScene];
      town.pass(2 * DAY_MS - mine[0] * DAY_MS);
      town.home = { ...town.home, counters: higherCounters(town.home.counters, other.home.counters) };
      const replies = [0, 1].map(() => start(town, 'hall', 'quest'));
      return replies.map((reply) => ('code' in reply ? reply.code : 'ordered'));
    };
    expect(merged([0, 2], [2, 1])).toEqual(['ordered', 'works/at-most']);
    expect(merged([1, 1], [2, 2])).toEqual(['works/at-most', 'works/at-most']);
    expect(merged([0, 2], [1, 2])).toEqual(['ordered', 'works/busy']);
  });

  it('forgets a period with the millisecond in which it ends', () => {
    const town = placed(
      {},
      { activities: { one: { on: ['hall'], atMost: daily }, two: { on: ['hall'], atMost: daily } } },
    );
    start(town, 'hall', 'one');
    town.pass(midnightMs - WorksScene.startMs - 1);
    expect(start(town, 'hall', 'two')).not.toMatchObject([{ counters: { 'times:one': 0 } }]);
    town.pass(1);
    expect(start(town, 'hall', 'two')).toMatchObject([{ counters: { 'times:one': 0 } }]);
  });

  it('forgets what was counted in a period that is over, also of an activity that is gone', () => {
    const offers = (from: number) =>
      Object.fromEntries(
        Array.from({ length: 700 }, (_, at) => [`offer ${from + at}`, { on: ['hall'], atMost: daily }]),
      );
    const town = scene();
    start(town, 'hall', 'medal');
    for (const from of [0, 700, 1400]) {
      town.change({ ...rules, activities: { medal: activities.medal, ...offers(from) } });
      for (const offer of Object.keys(offers(from))) expect(start(town, 'hall', offer)).toHaveLength(1);
      expect(Object.keys(town.home.counters.town ?? {})).toHaveLength(701);
      town.pass(DAY_MS);
    }
    expect(start(town, 'hall', 'medal')).toEqual(code('works/at-most'));
  });
});

describe('a stock', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const activities = {
    mint: { on: ['hall'], workMs: '1h', gives: { gold: most } },
    press: { on: ['mill'], workMs: '1h', gives: { gold: 2 }, collect: true },
    coin: { on: ['mill'], gives: { gold: 5 } },
    trade: { on: ['mill'], takes: { gold: 5 }, gives: { gold: 5 } },
    vault: { on: ['barn'], workMs: '1h', takes: { gold: most } },
  } satisfies WorksRules['activities'];
  const full = () => {
    const scene = placed(
      { gold: 3 },
      { activities, cancelGivesBack: 0.2999, cards: { again: { effect: 'repeat', times: 2 } } },
    );
    start(scene, 'hall', 'mint');
    return scene.pass(HOUR_MS);
  };

  it('counts no further than whole numbers go: what an end gives beyond is lost', () => {
    expect(full().count('gold')).toBe(most);
    const scene = full();
    start(scene, 'hall', 'mint');
    scene.grant({ again: 1 });
    scene.send('use-card', { thing: 'hall', card: 'again' });
    const [finished] = scene
      .pass(HOUR_MS)
      .log.filter(({ type }) => type === 'town/finished')
      .slice(-1);
    expect(Object.hasOwn(finished ?? {}, 'items')).toBe(false);
    expect([scene.count('gold'), scene.state('hall')]).toEqual([most, 'runs']);
  });

  it('that is full refuses what a command would give, and it stays where it is', () => {
    const scene = full();
    expect(start(scene, 'mill', 'coin')).toEqual(code('item/too-many', { item: 'gold', have: most, more: 5 }));
    expect(start(scene, 'mill', 'trade')).toHaveLength(1);
    start(scene, 'mill', 'press');
    scene.pass(HOUR_MS);
    expect(scene.send('collect', { thing: 'mill' })).toEqual(code('item/too-many'));
    scene.take({ gold: 2 });
    expect(scene.send('collect', { thing: 'mill' })).toHaveLength(1);
  });

  it('gets the exact share of any amount', () => {
    const scene = full();
    start(scene, 'barn', 'vault');
    scene.send('cancel', { thing: 'barn' });
    expect(BigInt(scene.count('gold'))).toBe((BigInt(most) * 2999n) / 10_000n);
  });
});

describe('names as people write them', () => {
  it('are ids, runs and words as any other', () => {
    const named = {
      things: { 'Großer Turm': { limit: 1 }, 木材场: {} },
      slots: { 'Bau Leute': { base: 1 } },
      activities: {
        'Aus Bau': { on: ['Großer Turm', '木材场'], slot: 'Bau Leute', workMs: '1h', gives: { Gold_2: 1 } },
      },
      cards: { Éclair: { effect: 'finish', msEach: '10m' } },
    } satisfies WorksRules;
    const scene = new WorksScene(named, { Éclair: 9 });
    expect(scene.place('Großer Turm')).toBe('Großer Turm');
    expect(scene.place('木材场')).toBe('anna~t2');
    start(scene, 'Großer Turm', 'Aus Bau');
    expect(scene.send('use-card', { thing: 'Großer Turm', card: 'Éclair' })).toMatchObject([{ count: 6 }, {}]);
    expect(scene.home.items).toEqual({ Éclair: 3, Gold_2: 1 });
  });
});

describe('changed rules', () => {
  const others: Partial<WorksRules> = {
    things: { mill: { limit: 1 }, barn: { limit: 1 }, well: { limit: 1 } },
    slots: { builders: { base: 9, queue: 0 } },
    activities: { build: { ...build, on: ['mill', 'barn', 'well'], workMs: '1m', takes: { wood: 1 } } },
    cancelGivesBack: 1,
  };

  it('leave what is ordered as it was: slots, costs, work, what comes back', () => {
    const scene = placed();
    for (const thing of ['hall', 'mill', 'barn']) start(scene, thing);
    scene.change({ ...rules, ...others });
    scene.pass(HOUR_MS);
    expect(['hall', 'mill', 'barn'].map(scene.state)).toEqual(['rests', 'runs', 'waits']);
    scene.send('cancel', { thing: 'mill' });
    expect(scene.count('wood')).toBe(70);
    start(scene, 'well');
    expect(scene.state('well')).toBe('runs');
    scene.pass(MINUTE_MS);
    expect(scene.told('finished').at(-1)).toEqual(['finished well', HOUR_MS + MINUTE_MS]);
  });

  it('let a thing and an activity that are no more end as ordered', () => {
    const scene = placed();
    start(scene, 'hall');
    scene.change({ things: { plot: {} }, activities: { sow: { on: ['plot'], workMs: 1 } } });
    scene.pass(HOUR_MS);
    expect(scene.told('finished')).toEqual([['finished hall', HOUR_MS]]);
    expect(start(scene, 'hall')).toEqual(code('activity/unknown'));
    scene.send('remove', { thing: 'hall' });
    expect(scene.thing('hall')).toBeUndefined();
  });
});
