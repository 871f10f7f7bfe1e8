import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chance } from '../../../shared/module/module.ts';
import { drawnBy } from '../../../shared/works/draw.ts';
import { parseWorksRules, type WorksRules } from '../../../shared/works/rules-file.ts';
import type { Order } from '../../../shared/works/thing.ts';
import { worksWords } from '../../../shared/works/words.ts';
import { prove } from '../../support/properties/prove.ts';
import { WorksOracle } from '../../support/works/works-oracle.ts';
import { HOUR_MS, WorksScene } from '../../support/works/works-scene.ts';

const oneOf = {
  name: 'chest',
  of: [
    { weight: 70, gives: { gold: 5 } },
    { weight: 25, gives: { wood: [1, 3] as [number, number] } },
    { weight: 5, gives: { gem: 1 }, atLatest: 20 },
  ],
};
const open = { on: ['chest'], workMs: '1h', gives: { gold: [10, 20] as [number, number], xp: 1 }, oneOf };
const rules = (activity: object = {}, more: Partial<WorksRules> = {}): WorksRules => ({
  things: { chest: { limit: 100 } },
  activities: { open: { ...open, ...activity } },
  ...more,
});
const start = (scene: WorksScene, thing: string) => scene.send('start', { thing, activity: 'open' });
/** Opens so many chests, one after the other; what was drawn. */
const opened = (scene: WorksScene, count: number) => {
  const chest = scene.place('chest');
  for (let at = 0; at < count; at++) {
    start(scene, chest);
    scene.pass(HOUR_MS);
  }
  return drawsIn(scene);
};
const drawsIn = ({ log }: WorksScene) =>
  log.flatMap(({ drawn }) => (drawn ? [drawn as { items: Record<string, number>; prize: number }] : []));

describe('what chance gives at an end', () => {
  it('stands in the event, in its range and by its weight', () => {
    const scene = new WorksScene(rules());
    const draws = opened(scene, 300);
    const ofRange = new Set<number>();
    for (const { items, prize } of draws) {
      const { gold = 0, wood = 0, gem = 0 } = items;
      ofRange.add(gold - (prize === 0 ? 5 : 0));
      expect([wood > 0, gem]).toEqual([prize === 1, prize === 2 ? 1 : 0]);
      expect(wood).toBeLessThanOrEqual(3);
    }
    expect([...ofRange].sort((a, b) => a - b)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    const shares = [0, 1, 2].map((prize) => draws.filter((one) => one.prize === prize).length / 3);
    expect(Math.abs((shares[0] ?? 0) - 70)).toBeLessThan(10);
    expect(Math.abs((shares[1] ?? 0) - 25)).toBeLessThan(10);
    const sum = draws.reduce((all, { items }) => all + (items.gold ?? 0), 0);
    expect([scene.count('gold'), scene.count('xp')]).toEqual([sum, 300]);
  });

  it('is held until it is collected, also of several ends', () => {
    const collected = (more: object) => {
      const scene = new WorksScene(rules({ collect: true, ...more }));
      const chest = scene.place('chest');
      start(scene, chest);
      scene.pass(3 * HOUR_MS);
      const [first, ...others] = drawsIn(scene);
      expect(scene.count('gold')).toBe(0);
      const gold = [first, ...others].reduce((all, draw) => all + (draw?.items.gold ?? 0), 0);
      expect(scene.thing(chest)?.held).toMatchObject({
        ends: others.length + 1,
        items: { gold, xp: others.length + 1 },
      });
      scene.send('collect', { thing: chest });
      expect([scene.count('gold'), scene.count('xp')]).toEqual([gold, others.length + 1]);
      return others.length + 1;
    };
    expect(collected({ consumes: true })).toBe(1);
    expect(collected({ auto: true, holds: 3 })).toBe(3);
  });

  it('is as it was ordered, whatever the table has become since', () => {
    const scene = new WorksScene(rules());
    const chest = scene.place('chest');
    start(scene, chest);
    scene.change(
      rules({ gives: { gold: [900, 901] }, oneOf: { name: 'chest', of: [{ weight: 1, gives: { moon: 1 } }] } }),
    );
    scene.pass(HOUR_MS);
    expect(scene.count('moon')).toBe(0);
    expect(scene.count('gold')).toBeLessThan(26);
    start(scene, chest);
    scene.pass(HOUR_MS);
    expect(scene.count('moon')).toBe(1);
  });
});

/** A longest row of draws without one of the prizes. */
const longestWithout = (draws: readonly { readonly prize: number }[], prize: number): number => {
  let [longest, since] = [0, 0];
  for (const one of draws) {
    since = one.prize === prize ? 0 : since + 1;
    longest = Math.max(longest, since);
  }
  return longest;
};

describe('what comes at the latest', () => {
  const rare = (atLatest: number | undefined) => ({
    oneOf: {
      name: 'chest',
      of: [
        { weight: 999, gives: {} },
        { weight: 1, gives: { gem: 1 }, ...(atLatest && { atLatest }) },
      ],
    },
  });

  it('comes after at most so many draws, and would not without', () => {
    expect(longestWithout(opened(new WorksScene(rules(rare(7))), 100), 1)).toBe(6);
    expect(longestWithout(opened(new WorksScene(rules(rare(undefined))), 100), 1)).toBeGreaterThan(20);
    // A weight of 0 is never drawn, and comes when it has to.
    const of = [
      { weight: 1, gives: {} },
      { weight: 0, gives: { gem: 1 }, atLatest: 3 },
    ];
    expect(opened(new WorksScene(rules({ oneOf: { name: 'chest', of } })), 6).map(({ prize }) => prize)).toEqual([
      0, 0, 1, 0, 0, 1,
    ]);
  });

  it('is counted for the player: over consumed and removed things, and a changed table of that name', () => {
    const scene = new WorksScene(rules({ ...rare(7), consumes: true }));
    for (let at = 0; at < 3; at++) opened(scene, 1);
    expect(scene.home.things).toEqual({});
    expect({ ...scene.home.counters.town }).toEqual({ 'oneOf:chest:1': 3 });
    const [other, gem] = [
      { weight: 5, gives: { wood: 1 } },
      { weight: 1, gives: { gem: 1 }, atLatest: 5 },
    ];
    scene.change(rules({ oneOf: { name: 'chest', of: [other, gem] } }));
    scene.send('remove', { thing: scene.place('chest') });
    expect(
      opened(scene, 2)
        .slice(3)
        .map(({ prize }) => prize),
    ).toContain(1);
    // Another name is counted by itself.
    scene.change(rules({ oneOf: { name: 'crate', of: [other, gem] } }));
    opened(scene, 1);
    expect(Object.keys(scene.home.counters.town ?? {})).toContain('oneOf:crate:1');
  });

  it('is in time for each where several have to come, whatever is drawn', () => {
    const some = fc.array(fc.record({ weight: fc.nat(3), more: fc.option(fc.nat(5), { nil: undefined }) }), {
      minLength: 1,
      maxLength: 5,
    });
    const picks = fc.infiniteStream(fc.nat(99));
    fc.assert(
      fc.property(some, picks, (all, stream) => {
        const owed = all.filter(({ more }) => more !== undefined).length;
        const of = [{ weight: 1 }, ...all].map(({ weight, ...one }) => ({
          ...{ weight, gives: {} },
          ...('more' in one && one.more !== undefined && { atLatest: owed + one.more }),
        }));
        const order = { oneOf: { name: 't', of } } as unknown as Order;
        const pick = (prizes: readonly { readonly weight: number }[]) => {
          const able = prizes.filter(({ weight }) => weight > 0);
          return able[Number(stream.next().value) % able.length] as never;
        };
        let counters = {};
        const draws = Array.from({ length: 60 }, () => {
          const drawn = drawnBy(order, { chance: { pick } as unknown as Chance, counters });
          counters = { ...counters, ...drawn?.counters };
          return { prize: drawn?.drawn.prize ?? -1 };
        });
        for (const [prize, { atLatest }] of (of as { atLatest?: number }[]).entries()) {
          if (atLatest !== undefined) expect(longestWithout(draws, prize)).toBeLessThan(atLatest);
        }
      }),
    );
  });
});

it('draws ranges in one order, whatever order the database gives their names', () => {
  const drawn = (ranges: Order['ranges']) => {
    let draws = 0;
    const chance = { whole: () => (draws += 1) } as unknown as Chance;
    return drawnBy({ ranges } as Order, { chance, counters: {} })?.drawn.items;
  };
  expect(drawn({ wood: [1, 3], ore: [10, 20] })).toEqual({ ore: 1, wood: 2 });
  expect(drawn({ ore: [10, 20], wood: [1, 3] })).toEqual({ ore: 1, wood: 2 });
});

it('goes on without a count where a player has counters of a thousand other tables', () => {
  const scene = new WorksScene(rules());
  const others = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`oneOf:old-${at}:1`, 1]));
  scene.home = { ...scene.home, counters: { town: others } };
  expect(opened(scene, 3)).toHaveLength(3);
  expect(Object.keys(scene.home.counters.town ?? {})).toHaveLength(1000);
});

it('counts as long as there is room, and has no counters where nothing has to come', () => {
  const scene = new WorksScene(rules());
  const others = Object.fromEntries(Array.from({ length: 999 }, (_, at) => [`oneOf:old-${at}:1`, 1]));
  scene.home = { ...scene.home, counters: { town: others } };
  opened(scene, 1);
  expect(Object.keys(scene.home.counters.town ?? {})).toContain('oneOf:chest:1');

  const order = { oneOf: { name: 't', of: [{ weight: 1, gives: {} }] } } as unknown as Order;
  const chance = { pick: ([first]: readonly unknown[]) => first } as unknown as Chance;
  expect(drawnBy(order, { chance, counters: {} })).toStrictEqual({ drawn: { items: {}, prize: 0 } });
});

describe('the oracle of works finds', () => {
  const played = (draws: readonly { readonly items: Record<string, number>; readonly prize?: number }[]) => {
    const inMs = rules({
      workMs: 1,
      oneOf: { ...oneOf, of: [...oneOf.of.slice(0, 2), { weight: 5, gives: { gem: 1 }, atLatest: 3 }] },
    });
    const oracle = new WorksOracle({}, 0, draws);
    oracle.play({ town: inMs, farm: inMs }, { type: 'place', module: 'town', thing: 'chest', newId: 'c' });
    for (let at = 1; at <= draws.length; at++) {
      oracle.play(
        { town: inMs, farm: inMs },
        { type: 'start', module: 'town', thing: 'c', activity: 'open', newId: '' },
      );
      oracle.waitUntil(at);
    }
    return oracle.drawn;
  };
  const gold = { items: { gold: 15 }, prize: 0 };

  it('nothing in draws that can be', () => {
    expect(played([gold, gold, { items: { gold: 10, gem: 1 }, prize: 2 }, gold])).toBe(4);
  });

  it.for<[string, Parameters<typeof played>[0], string]>([
    ['an amount below its range', [{ items: { gold: 14 }, prize: 0 }], '9 gold were drawn'],
    ['an amount above it', [{ items: { gold: 26 }, prize: 0 }], '21 gold were drawn'],
    ['what no prize gives', [{ items: { gold: 15, moon: 1 }, prize: 0 }], '1 moon were drawn'],
    ['a prize that is not there', [{ items: { gold: 10 }, prize: 3 }], 'no such prize'],
    ['a draw without its prize', [{ items: { gold: 10 } }], 'no such prize'],
    ['what comes too late', [gold, gold, gold], 'is late'],
  ])('%s', ([, draws, why], context) => {
    expect(() => played(draws)).toThrow(why);
    prove(context, { row: 29, tries: 1, of: 'planted faults of chance, all found' });
  });
});

it('operators read what was drawn, in both languages', () => {
  for (const words of [worksWords.en, worksWords.zh])
    expect(words?.events?.finished).toMatch(/\[drawn\?.*\{drawn\.items\}\]/);
});

describe('a file of rules is refused', () => {
  const faultsOf = (activity: object, activities: object = {}) => {
    const parsed = parseWorksRules({
      things: { chest: {} },
      activities: { open: { ...open, ...activity }, ...activities },
    });
    return parsed.ok ? [] : parsed.error;
  };
  const prize = { weight: 1, gives: {} };

  it.each([
    [
      'weights that are all 0',
      { oneOf: { name: 'x', of: [{ weight: 0, gives: {} }] } },
      'oneOf.of: has no weight above 0',
    ],
    ['an empty table', { oneOf: { name: 'x', of: [] } }, 'oneOf.of: has no weight above 0'],
    ['a weight below 0', { oneOf: { name: 'x', of: [{ ...prize, weight: -1 }] } }, 'oneOf.of.0.weight'],
    ['a broken weight', { oneOf: { name: 'x', of: [{ ...prize, weight: 0.5 }] } }, 'oneOf.of.0.weight'],
    ['an atLatest of 0', { oneOf: { name: 'x', of: [{ ...prize, atLatest: 0 }] } }, 'oneOf.of.0.atLatest'],
    ['a range that ends before it begins', { gives: { gold: [3, 1] } }, 'gives.gold: is from more than to'],
    ['a range of three', { gives: { gold: [1, 2, 3] } }, 'gives.gold'],
    ['a range below 0', { gives: { gold: [-1, 2] } }, 'gives.gold.0'],
    ['a level that is drawn', { gives: { level: [1, 2] } }, 'gives.level: is drawn by no range'],
    [
      'a level as a prize',
      { oneOf: { name: 'x', of: [{ weight: 1, gives: { level: 1 } }] } },
      'oneOf: a level is no prize',
    ],
    ['a table without a name', { oneOf: { of: [prize] } }, 'oneOf.name'],
    ['a range of what takes no time', { workMs: undefined, oneOf: undefined }, 'gives: is drawn at the end of work'],
    ['a table of what takes no time', { workMs: undefined, gives: {} }, 'oneOf: is of work'],
    [
      'more that have to come than can',
      { oneOf: { name: 'x', of: [prize, { ...prize, atLatest: 1 }, { ...prize, atLatest: 9 }] } },
      'oneOf: 2 have to come, one of them within 1',
    ],
  ])('with %s', (_, activity, fault) => {
    expect(faultsOf(activity)).toEqual(expect.arrayContaining([expect.stringContaining(`activities.open.${fault}`)]));
  });

  it('with more that has to come than a player can have counters', () => {
    const of = Array.from({ length: 600 }, () => ({ ...prize, atLatest: 600 }));
    const both = { oneOf: { name: 'x', of } };
    expect(faultsOf(both, { again: { ...open, ...both } })).toEqual([]);
    expect(faultsOf(both, { again: { ...open, oneOf: { name: 'y', of } } })).toEqual([
      expect.stringMatching(/^activities: atMost and atLatest need 1200 counters/),
    ]);
  });

  it('with more draws at one end than a rule may make, and an end with as many as it may is drawn', () => {
    const ranges = (count: number, name = 'item'): Record<string, [number, number]> =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name} ${at}`, [1, 2]]));
    const drawing = (level0: number, level1: number, ...prizes: readonly number[]) => ({
      gives: [ranges(level0), ranges(level1)],
      ...{ oneOf: prizes.length === 0 ? undefined : { name: 'x', of: prizes.map((count) => prizeOf(count)) } },
    });
    const prizeOf = (count: number) => ({ weight: 1, gives: ranges(count, 'prize') });
    const tooMany = ['activities.open.gives: an end draws 1001 times with its prize, at most 1000 can be'];
    expect(faultsOf(drawing(1, 1001))).toEqual(tooMany);
    expect(faultsOf(drawing(1000, 1, 0))).toEqual(tooMany);
    expect(faultsOf(drawing(1, 700, 300, 1))).toEqual(tooMany);
    const most = [drawing(1000, 1), drawing(999, 999, 0), drawing(700, 1, 1, 299)];
    for (const activity of most) {
      expect(faultsOf(activity)).toEqual([]);
      expect(opened(new WorksScene(rules(activity)), 1)).toHaveLength(1);
    }
  });

  it('with two tables of one name that differ, and not with two that are the same', () => {
    const again = (of: readonly object[]) => ({ again: { ...open, oneOf: { name: 'chest', of } } });
    expect(faultsOf({}, again(oneOf.of))).toEqual([]);
    expect(faultsOf({}, again(oneOf.of.slice(1)))).toEqual([
      'activities.again.oneOf.name: chest is another table in open: give it another name, or the same content',
    ]);
  });
});
