import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WorksRules } from '../../../shared/works/rules-file.ts';
import type { WorksThing } from '../../../shared/works/thing.ts';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { MINUTE_MS, WorksScene } from '../../support/works/works-scene.ts';

type Activity = WorksRules['activities'][string];

const gives = { ore: 1, level: 1 };
const dig: Activity = { on: ['mine'], workMs: MINUTE_MS, gives, auto: true, below: { ore: 999 } };
const stored: Activity = { ...dig, collect: true, holds: 3 };
const instants = {
  polish: { on: ['mine'], gives },
  scrap: { on: ['mine'], gives, consumes: true },
} satisfies WorksRules['activities'];
const cards = { gem: { effect: 'finish', msEach: '1h' } } as const;
/** Rules with other activities than `polish` and `scrap`. */
const withWork = (activities: WorksRules['activities'] = {}, base = 1): WorksRules => ({
  things: { mine: {}, hut: {} },
  slots: { builders: { base, queue: 9 } },
  activities: { ...instants, ...activities },
  cards,
});
/** The mine and its activities are no longer in the rules. */
const WITHOUT_MINE: WorksRules = { things: { hut: {} }, activities: { sow: { on: ['hut'], workMs: 1 } }, cards };

/** A mine that rests and holds gains: the rules have dropped `collect`, and then the activity. */
const abandoned = (): { readonly scene: WorksScene; readonly mine: string } => {
  const scene = new WorksScene(withWork({ dig: stored }), { gem: 1 });
  const mine = scene.place('mine');
  scene.pass(MINUTE_MS).change(withWork({ dig }));
  scene.grant({ gem: 1 });
  scene.pass(MINUTE_MS).change(withWork());
  scene.grant({ gem: 1 });
  scene.pass(MINUTE_MS);
  expect([scene.state(mine), scene.thing(mine)?.held?.items, scene.count('ore')]).toEqual(['rests', { ore: 2 }, 1]);
  return { scene, mine };
};

describe('gains that a resting thing holds', () => {
  it('are collected, also where the rules have dropped the thing', () => {
    for (const rules of [withWork(), WITHOUT_MINE]) {
      const { scene, mine } = abandoned();
      scene.change(rules);
      expect(scene.send('collect', { thing: mine })).toMatchObject([{ items: { ore: 2 }, level: 3 }]);
      expect([scene.count('ore'), scene.thing(mine)]).toEqual([3, { name: 'mine', level: 3 }]);
      expect(scene.send('collect', { thing: mine })).toMatchObject({ code: 'works/idle' });
    }
  });

  it('keep their thing, and hold up new work, until they are collected', () => {
    const { scene, mine } = abandoned();
    scene.change(withWork({ haul: { on: ['mine'], workMs: 1, gives, consumes: true } }));
    expect(scene.send('remove', { thing: mine })).toMatchObject({ code: 'works/uncollected' });
    for (const activity of ['scrap', 'haul']) {
      expect(scene.send('start', { thing: mine, activity })).toMatchObject({ code: 'works/uncollected' });
    }
    scene.send('start', { thing: mine, activity: 'polish' });
    scene.send('collect', { thing: mine });
    expect([scene.count('ore'), scene.thing(mine)?.level]).toEqual([4, 4]);
    scene.send('remove', { thing: mine });
    expect(scene.thing(mine)).toBeUndefined();
  });
});

const drawn: Activity['gives'] = { ...gives, ore: [1, 1] };
const haul: Activity = { on: ['mine'], workMs: MINUTE_MS, gives, slot: 'builders' };
/** Most rules differ only in what a resting thing with gains comes from. */
const anyDig: fc.Arbitrary<Activity | undefined> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(undefined, dig, stored) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Activity[]>(
      { ...stored, holds: 2 },
      { ...stored, gives: drawn },
      { ...stored, on: ['hut'] },
      { on: ['mine'], workMs: MINUTE_MS, gives },
      { ...dig, consumes: true },
      { ...dig, collect: true, consumes: true },
    ),
  },
);
const anyHaul = fc.constantFrom<(Activity | undefined)[]>(
  undefined,
  haul,
  { ...haul, collect: true },
  { ...haul, consumes: true },
  { ...haul, gives: drawn, collect: true, consumes: true },
);
const anyRules: fc.Arbitrary<WorksRules> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(anyDig, anyHaul, fc.nat(2))
      .map(([dig, haul, base]) => withWork({ ...(dig && { dig }), ...(haul && { haul }) }, base)),
  },
  { weight: 1, arbitrary: fc.constant(WITHOUT_MINE) },
);
const commands = fc.array(
  fc.record({
    type: fc.constantFrom(
      ...['grant', 'place', 'dig', 'haul', 'polish', 'scrap'],
      ...['use-card', 'cancel', 'ops:stop', 'collect', 'remove'],
    ),
    thing: fc.nat(2),
  }),
  { maxLength: 3 },
);
/** New rules, mostly adopted by a command at once; then time passes, and the player does something. */
const eras = fc.array(
  fc.record({
    rules: anyRules,
    isAdopted: fc.constantFrom(true, true, false),
    passMs: fc.integer({ min: 0, max: 3 }).map((minutes) => minutes * MINUTE_MS),
    commands,
  }),
  { minLength: 1, maxLength: 12, size: 'max' },
);

const send = (scene: WorksScene, type: string, thing: string): void => {
  if (type === 'grant') scene.grant({ gem: 1 });
  else if (type === 'place') scene.send('place', { thing: 'mine' });
  else if (['dig', 'haul', 'polish', 'scrap'].includes(type)) scene.send('start', { thing, activity: type });
  else if (type === 'use-card') scene.send('use-card', { thing, card: 'gem' });
  else if (type === 'ops:stop') scene.send('ops:stop', { module: 'town', thing, by: 'eve', reason: 'trial' });
  else scene.send(type, { thing });
};

const heldOf = ({ task, held }: Partial<WorksThing> = {}): { readonly ore: number; readonly levels: number } => {
  if (held) return { ore: held.items.ore ?? 0, levels: held.levels };
  return task?.state === 'holds'
    ? { ore: task.order.gives.ore ?? 0, levels: task.order.levels }
    : { ore: 0, levels: 0 };
};

const endsOf = ({ log }: WorksScene) => log.filter(({ type }) => type === 'town/finished' || type === 'town/done');

/** Each end gives one ore and one level: they are the player's and the thing's, or still held. */
const expectAllThere = (scene: WorksScene, ids: readonly string[]): void => {
  const ends = endsOf(scene);
  const things = ids.map((id) => ({ id, thing: scene.thing(id) }));
  const held = things.reduce((sum, { thing }) => sum + heldOf(thing).ore, 0);
  expect(scene.count('ore') + held).toBe(ends.length);
  for (const { id, thing } of things) {
    expect((thing?.level ?? 0) + heldOf(thing).levels).toBe(ends.filter((end) => end.thing === id).length);
  }
};

it('each gain is given or held, and what is held can be collected, whatever rules came and went', {
  timeout: HANG_MS,
}, () => {
  let resting = 0;
  const law = fc.property(anyRules, eras, (first, eras) => {
    const scene = new WorksScene(first, { gem: 9 });
    const ids = (): readonly string[] => Object.keys(scene.home.things.town ?? {});
    for (const type of ['place', 'place']) send(scene, type, '');
    for (const { rules, isAdopted, passMs, commands } of eras) {
      scene.change(rules);
      if (isAdopted) send(scene, 'grant', '');
      scene.pass(passMs);
      resting += ids().filter((id) => scene.state(id) === 'rests' && scene.thing(id)?.held).length;
      for (const { type, thing } of commands) {
        send(scene, type, ids()[thing] ?? 'none');
        expectAllThere(scene, ids());
      }
    }
    for (const thing of ids()) if (heldOf(scene.thing(thing)).ore > 0) scene.send('collect', { thing });
    expect(scene.count('ore')).toBe(endsOf(scene).length);
  });
  fc.assert(law, { numRuns: tries({ test: 150, proof: 600 }) });
  expect(resting).toBeGreaterThan(9);
});
