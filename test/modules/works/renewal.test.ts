import { expect, it } from 'vitest';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import { MINUTE_MS, WorksScene } from '../../support/works/works-scene.ts';

type Digging = Partial<WorksRules['activities'][string]>;
const rules = (dig: Digging): WorksRules => ({
  things: { mine: { limit: 1 }, hut: {} },
  activities: {
    dig: { on: ['mine'], workMs: MINUTE_MS, gives: { ore: 1 }, auto: true, below: { ore: 99 }, ...dig },
    deepen: { on: ['mine'], gives: { level: 1 } },
  },
});
const held = { collect: true, holds: 5 };

it('what is auto takes new numbers for its next start, with any accepted command, and ends what runs as it was ordered', () => {
  const scene = new WorksScene(rules({}));
  scene.place('mine');
  scene.change(rules({ gives: { ore: 10 }, workMs: 2 * MINUTE_MS }));
  scene.pass(2 * MINUTE_MS);
  expect(scene.count('ore')).toBe(2);
  scene.grant({ ore: 1 });
  scene.pass(MINUTE_MS);
  expect(scene.count('ore')).toBe(4);
  scene.pass(2 * MINUTE_MS);
  expect(scene.count('ore')).toBe(14);
  expect(scene.told('renewed')).toEqual([['renewed mine', 2 * MINUTE_MS]]);
});

it('takes those of its new level with the command that raises it', () => {
  const scene = new WorksScene(rules({ gives: [{ ore: 1 }, { ore: 7 }] }));
  scene.place('mine');
  scene.send('start', { thing: 'mine', activity: 'deepen' });
  expect(scene.pass(2 * MINUTE_MS).count('ore')).toBe(8);
});

const none = { on: ['hut'], workMs: MINUTE_MS, gives: { ore: 1 } };
/** The activity is renamed, repeats no more, or is not of the mine. */
const ENDED: readonly (readonly [string, WorksRules])[] = [
  ['renamed', { things: { mine: {}, hut: {} }, activities: { delve: { ...none, on: ['mine'] } } }],
  ['auto: false', rules({ auto: false, below: undefined })],
  ['on another thing', rules({ on: ['hut'] })],
];

it.each(ENDED)('ends with the run that runs at the next accepted command, where it is %s', (_, changed) => {
  const scene = new WorksScene(rules({ gives: { ore: 2 } }));
  scene.place('mine');
  scene.change(changed);
  expect(scene.pass(2 * MINUTE_MS).count('ore')).toBe(4);
  scene.grant({ ore: 1 });
  expect(scene.state('mine')).toBe('runs');
  expect(scene.pass(9 * MINUTE_MS).count('ore')).toBe(7);
  expect(scene.state('mine')).toBe('rests');
  expect(scene.told('renewed')).toHaveLength(1);
});

it.each(ENDED)('gives what the thing holds, and ends with the run that waits, where it is %s', (_, changed) => {
  const scene = new WorksScene(rules({ ...held, below: { ore: 3 } }));
  scene.place('mine');
  scene.pass(3 * MINUTE_MS);
  scene.change(changed);
  scene.grant({ ore: 3 });
  scene.pass(MINUTE_MS);
  expect(scene.state('mine')).toBe('holds');
  scene.send('collect', { thing: 'mine' });
  expect([scene.state('mine'), scene.count('ore')]).toEqual(['rests', 7]);

  const waiting = new WorksScene(rules({}), { ore: 99 });
  waiting.place('mine');
  waiting.change(changed);
  waiting.grant({ ore: 1 });
  expect(waiting.state('mine')).toBe('waits');
  waiting.take({ ore: 90 });
  expect(waiting.pass(3 * MINUTE_MS).count('ore')).toBe(11);
  expect(waiting.state('mine')).toBe('rests');
});

it('goes on where the rules have it again before its last end', () => {
  const scene = new WorksScene(rules({}));
  scene.place('mine');
  scene.change(rules({ auto: false, below: undefined }));
  scene.place('hut');
  scene.change(rules({ gives: { ore: 5 } }));
  scene.place('hut');
  expect(scene.pass(3 * MINUTE_MS).count('ore')).toBe(11);
});

it('goes on where the rules have it again while it waits, or in the run that had waited', () => {
  const again = (between: (scene: WorksScene) => unknown): WorksScene => {
    const scene = new WorksScene(rules({}), { ore: 99 });
    scene.place('mine');
    expect(scene.state('mine')).toBe('waits');
    scene.change(rules({ auto: false, below: undefined }));
    scene.grant({ ore: 1 });
    between(scene);
    scene.change(rules({}));
    scene.grant({ ore: 1 });
    return scene;
  };
  const waited = again(() => undefined);
  waited.take({ ore: 91 });
  expect(waited.pass(5 * MINUTE_MS).count('ore')).toBe(15);
  expect(waited.state('mine')).toBe('runs');
  const ran = again((scene) => scene.take({ ore: 90 }));
  expect(ran.pass(5 * MINUTE_MS).count('ore')).toBe(16);
});

it('ends with the run that had waited, where the rules take the repetition back once more', () => {
  const off = rules({ auto: false, below: undefined });
  const scene = new WorksScene(rules({}), { ore: 99 });
  scene.place('mine');
  scene.change(off);
  scene.grant({ ore: 1 });
  scene.take({ ore: 90 });
  scene.change(rules({}));
  scene.grant({ ore: 1 });
  scene.change(off);
  scene.grant({ ore: 1 });
  expect(scene.pass(5 * MINUTE_MS).count('ore')).toBe(13);
  expect(scene.state('mine')).toBe('rests');
  expect(scene.told('renewed')).toHaveLength(3);
});

it('is collected while the next run goes on, and what rests must be collected before it is removed', () => {
  const scene = new WorksScene(rules(held));
  scene.place('mine');
  scene.pass(MINUTE_MS);
  const [collected] = scene.send('collect', { thing: 'mine' }) as readonly object[];
  expect(collected).toMatchObject({ activity: 'dig', items: { ore: 1 } });
  expect(collected).not.toHaveProperty('waitsSinceMs');
  scene.pass(MINUTE_MS).change(rules({}));
  scene.grant({ ore: 1 });
  scene.pass(MINUTE_MS).change(rules({ on: ['hut'] }));
  scene.grant({ ore: 1 });
  expect(scene.pass(MINUTE_MS).state('mine')).toBe('rests');
  expect(scene.send('remove', { thing: 'mine' })).toMatchObject({ code: 'works/uncollected' });
  expect(scene.send('collect', { thing: 'mine' })).toMatchObject([{ type: 'town/collected' }]);
});

it('loses nothing that earlier ends gave where it goes with its thing by new rules', () => {
  const scene = new WorksScene(rules(held));
  scene.place('mine');
  scene.pass(2 * MINUTE_MS);
  scene.change(rules({ consumes: true }));
  scene.place('hut');
  expect(scene.pass(2 * MINUTE_MS).thing('mine')).toBeUndefined();
  expect(scene.count('ore')).toBe(4);
});

it('a larger slot is for orders that wait, too, so that no newer one starts before them', () => {
  const slots = (base: number, item?: string): WorksRules => ({
    slots: { builders: { base, queue: 5, ...(item !== undefined && { item }) } },
    things: { hut: {} },
    activities: { build: { on: ['hut'], workMs: MINUTE_MS, slot: 'builders', gives: { ore: 1 } } },
  });
  const scene = new WorksScene(slots(1), { builder: 1 });
  const huts = [1, 2, 3, 4].map(() => scene.place('hut'));
  const build = (at: number) => scene.send('start', { thing: huts[at], activity: 'build' });
  const states = () => huts.map((hut) => scene.state(hut));
  for (const at of [0, 1, 2]) build(at);
  scene.change(slots(2));
  scene.pass(1);
  expect(states()).toEqual(['runs', 'waits', 'waits', 'rests']);
  build(3);
  expect(states()).toEqual(['runs', 'runs', 'waits', 'waits']);
  scene.change(slots(1));
  const renewals = scene.told('renewed').length;
  scene.grant({ ore: 1 });
  expect(scene.told('renewed')).toHaveLength(renewals);
  scene.pass(MINUTE_MS);
  // An order keeps the larger slot that it has adopted.
  expect(states()).toEqual(['rests', 'rests', 'runs', 'runs']);
  // A new item counts, too.
  scene.change(slots(1));
  for (const at of [0, 1]) build(at);
  scene.change(slots(0, 'builder'));
  scene.grant({ builder: 2 });
  expect(states()).toEqual(['runs', 'waits', 'runs', 'runs']);
});

it('goes on as it was ordered where its lists end before the level of its thing', () => {
  const scene = new WorksScene(rules({ gives: [{ ore: 1 }] }));
  scene.place('mine');
  expect(scene.send('start', { thing: 'mine', activity: 'deepen' })).toHaveLength(1);
  expect(scene.pass(3 * MINUTE_MS).count('ore')).toBe(3);
  expect(scene.told('renewed')).toEqual([]);
});

it('is not renewed where the rules say nothing else, as by a below of nothing', () => {
  const paid = { below: undefined, takes: { coal: 1 } };
  const scene = new WorksScene(rules(paid), { coal: 9 });
  scene.place('mine');
  scene.change(rules({ ...paid, below: {} }));
  expect(scene.grant({ ore: 1 })).toHaveLength(1);
  expect(scene.told('renewed')).toEqual([]);
});

const inSlots = (slots: WorksRules['slots']): WorksRules => ({
  things: { hut: {} },
  slots,
  activities: { build: { ...none, ...(slots?.crew && { slot: 'crew' }) } },
});
/** The first of two runs in the only slot, the second waits. */
const queued = () => {
  const scene = new WorksScene(inSlots({ crew: { base: 1, queue: 1 } }));
  const ids = [scene.place('hut'), scene.place('hut')];
  const ordered = ids.map((thing) => scene.send('start', { thing, activity: 'build' }));
  return { scene, ids, ordered };
};

it('an order that waits takes a larger slot, and one that runs has no need of it', () => {
  const { scene, ids } = queued();
  scene.change(inSlots({ crew: { base: 2, queue: 1 } }));
  scene.grant({ ore: 1 });
  expect(scene.told('renewed')).toEqual([[`renewed ${ids[1]}`, 0]]);
  expect(ids.map(scene.state)).toEqual(['runs', 'runs']);
});

it('an order waits for its slot, although the rules have it no more', () => {
  const { scene, ids } = queued();
  scene.change(inSlots({}));
  expect(scene.grant({ ore: 1 })).toHaveLength(1);
  expect(ids.map(scene.state)).toEqual(['runs', 'waits']);
  scene.pass(MINUTE_MS);
  expect(ids.map(scene.state)).toEqual(['rests', 'runs']);
});

it('an order has no field of its slot without a value', () => {
  const [[ordered]] = queued().ordered as unknown as readonly [
    readonly [{ readonly order: { readonly slot: object } }],
  ];
  expect(Object.keys(ordered.order.slot)).toEqual(['name', 'base']);
});
