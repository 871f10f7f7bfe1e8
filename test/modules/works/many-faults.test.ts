import { describe, expect, it } from 'vitest';
import { RulesRefused } from '../../../shared/module/config.ts';
import { parseRules } from '../../../shared/pets/rules-file.ts';
import { parseWorksRules } from '../../../shared/works/rules-file.ts';

const named = (count: number, of: (at: number) => readonly [name: string, own: unknown]): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => of(at)));
const list = (count: number, of: (at: number) => unknown): readonly unknown[] =>
  Array.from({ length: count }, (_, at) => of(at));
const onHall = (own: object) => ({ things: { hall: {} }, activities: { build: { on: ['hall'], workMs: 1, ...own } } });

const faultsOf = (json: unknown, parse: typeof parseWorksRules | typeof parseRules = parseWorksRules) => {
  const parsed = parse(json);
  return parsed.ok ? [] : parsed.error;
};

/** Files below the limit of 1 MB. */
const FILES: Readonly<Record<string, () => unknown>> = {
  'thousands of references to none of thousands of things': () => ({
    things: named(10_000, (at) => [`a building of the eastern ${at}`, {}]),
    activities: named(12, (at) => [`a${at}`, { on: list(1000, (thing) => `tower ${thing}`), workMs: 1 }]),
  }),
  'a wrong reference in each of thousands of activities': () => ({
    things: named(5000, (at) => [`building ${at}`, {}]),
    activities: named(5000, (at) => [`activity ${at}`, { on: [`tower ${at}`], workMs: 1 }]),
  }),
  'thousands of limits and needs by unknown things': () => ({
    things: named(5000, (at) => [`thing ${at}`, { limit: { [`tower ${at}`]: [1] } }]),
    activities: { build: { on: ['thing 1'], needs: named(9000, (at) => [`tower ${at}`, 1]) } },
  }),
  'thousands of entries with an unknown window': () => ({
    things: named(3000, (at) => [`thing ${at}`, { during: `night ${at}` }]),
    activities: {},
    windows: named(500, (at) => [`week ${at}`, { until: '2026-12-24T18:00:00Z' }]),
  }),
  'one thing in one list again and again': () => onHall({ on: list(120_000, () => 'hall') }),
  'a list of numbers instead of names': () => onHall({ on: list(450_000, () => 1) }),
  'levels without end': () => onHall({ workMs: list(450_000, () => 1), gives: list(100, () => ({ level: 1 })) }),
  'prizes without end': () => onHall({ oneOf: { name: 'wheel', of: list(60_000, () => ({ atLatest: 1 })) } }),
  'more things than a file can have': () => ({ things: named(60_000, (at) => [`t${at}`, 1]), activities: {} }),
  'thousands of unknown fields': () => ({ ...onHall({}), ...named(60_000, (at) => [`field ${at}`, 1]) }),
  'lists in which all is wrong, in hundreds of things': () => ({
    things: named(300, (at) => [`t${at}`, { limit: { hall: list(1000, () => -1) } }]),
    activities: {},
  }),
  'the name of an activity as long as a book': () => ({
    things: { hall: {} },
    activities: { ['x'.repeat(400_000)]: { on: list(9000, (at) => `tower ${at}`), workMs: 1 } },
  }),
  'the name of a thing as long as a book': () => onHall({ on: ['y'.repeat(900_000)] }),
};

describe('a file of rules with a great many faults', () => {
  it.each(Object.entries(FILES))('%s: is refused with a bounded answer, in bounded time', (_, file) => {
    const json = file();
    expect(JSON.stringify(json).length).toBeLessThan(1_000_000);
    const begun = process.threadCpuUsage().user;
    const faults = faultsOf(json);
    // Seconds are far above the time of any of them, and far below that of a search with quadratic work.
    expect((process.threadCpuUsage().user - begun) / 1e6).toBeLessThan(3);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThanOrEqual(1001);
    expect(Math.max(...faults.map((fault) => fault.length))).toBeLessThanOrEqual(503);
  });

  it('has the first thousand, and says how many are left out at least', () => {
    const faults = faultsOf(
      onHall({ on: list(900, (at) => `tower ${at}`), needs: named(900, (at) => [`keep ${at}`, 1]) }),
    );
    expect(faults).toHaveLength(1001);
    expect(faults[0]).toBe('activities.build.on.0: tower 0 is none of things (hall)');
    expect(faults.at(-1)).toBe('rules: at least 800 more faults are left out');
  });

  it('says that there are more, also where one part has them all', () => {
    const faults = faultsOf(onHall({ workMs: list(1000, () => -1), takes: list(1000, () => -1) }));
    expect(faults).toHaveLength(1001);
    expect(faults.at(-1)).toMatch(/^rules: at least \d+ more faults are left out$/);
  });

  it('names the nearest of many known names, and none that is not near', () => {
    const things = named(300, (at) => [`tower ${at}`, {}]);
    expect(faultsOf({ things, activities: { build: { on: ['towr 217', 'quay'], workMs: 1 } } })).toEqual([
      'activities.build.on.0: towr 217 is none of things (did you mean tower 217?)',
      'activities.build.on.1: quay is none of things',
    ]);
  });

  it('is the same for pets', () => {
    const species = list(120_000, () => 'cat');
    const begun = process.threadCpuUsage().user;
    expect(faultsOf({ species }, parseRules)[0]).toBe('species: has 120000 entries, and 10000 are the most');
    expect((process.threadCpuUsage().user - begun) / 1e6).toBeLessThan(3);
  });

  it('has a message with the first twenty', () => {
    const faults = list(1000, (at) => `things.t${at}: is wrong`) as readonly string[];
    const refused = new RulesRefused(faults);
    expect(refused.faults).toHaveLength(1000);
    expect(refused.message.split('\n')).toHaveLength(22);
    expect(refused.message).toContain('and 980 more, in `faults`');
  });
});

describe('an auto activity that needs what it is on', () => {
  const ovens = (needs: object) =>
    faultsOf({
      things: { oven: {}, hall: {} },
      activities: { bake: { on: ['oven'], auto: true, workMs: 1, takes: { flour: 1 }, needs } },
    });

  it('is a fault, since the first thing could never be placed', () => {
    const fault = 'starts when oven is placed, so the first could never be placed';
    expect(ovens({ oven: 0 })).toEqual([`activities.bake.needs.oven: ${fault}`]);
    expect(ovens([{ hall: 0 }, { oven: 0 }])).not.toContainEqual(expect.stringContaining(fault));
    expect(ovens([{ oven: 0 }])).toEqual([`activities.bake.needs.0.oven: ${fault}`]);
  });

  it('may need another thing', () => expect(ovens({ hall: 0 })).toEqual([]));
});

describe('a thing that can never be placed', () => {
  const build = { on: ['hall'], workMs: 1, gives: { level: 1 } };
  const limits = (of: Readonly<Record<string, unknown>>, activities: object = { build }) =>
    faultsOf({
      things: Object.fromEntries(Object.entries({ hall: 1, ...of }).map(([thing, limit]) => [thing, { limit }])),
      activities,
    });

  it.each([
    ['a limit by its own level', { hut: { hut: [0, 1] } }, ['hut']],
    ['limits by each other', { a: { b: [0, 1] }, b: { a: [0, 2] } }, ['a', 'b']],
    [
      'a ring of three, and a thing that waits for it',
      { a: { b: [0, 1] }, b: { c: [0, 1] }, c: { a: [0, 1] }, d: { a: [0, 1] } },
      ['a', 'b', 'c', 'd'],
    ],
    ['a level that the other thing never has', { hut: 1, mill: { hut: [0, 1] } }, ['mill']],
  ])('is a fault: %s', (_, of, never) => {
    expect(limits(of).map((fault) => fault.split('.')[1])).toEqual(never);
    expect(limits(of)[0]).toContain('is 0 for ever');
  });

  it.each([
    ['a limit by a level that can be reached', { hut: { hall: [0, 1] } }],
    ['a chain in any order', { a: { b: [0, 1] }, b: { c: [0, 1] }, c: { hall: [0, 0, 1] } }],
    ['a limit by its own level, of which the first is above 0', { hut: { hut: [1, 2] } }],
    ['a ring with one that can be first', { a: { b: [0, 1] }, b: { a: [1, 2] } }],
  ])('is none: %s', (_, of) => {
    const on = ['hall', ...Object.keys(of)];
    expect(limits(of, { build: { ...build, on } })).toEqual([]);
  });

  it('is found in a long chain', () => {
    const chain = (first: unknown) =>
      Object.fromEntries(list(900, (at) => [`t${at}`, at === 899 ? first : { [`t${at + 1}`]: [0, 1] }]) as never);
    const on = ['hall', ...(list(900, (at) => `t${at}`) as string[])];
    expect(limits(chain({ hall: [0, 1] }), { build: { ...build, on } })).toEqual([]);
    expect(limits(chain({ t0: [0, 1] }), { build: { ...build, on } })).toHaveLength(900);
  });
});

describe('a part with as many entries as can be read, and one with more', () => {
  const things = (count: number, more: object) => named(count, (at) => [`t${at}`, at === 0 ? more : {}]);
  const tooMany = (path: string) => `${path}: has 10001 entries, and 10000 are the most`;

  it.each<[string, unknown, readonly string[]]>([
    [
      'the first has its faults',
      { things: things(10_000, { limit: { moat: [1] } }), activities: {} },
      ['things.t0.limit.moat: moat is none of things'],
    ],
    [
      'the second is refused, and nothing in it is read',
      { things: things(10_001, { limit: { moat: [1] } }), activities: {} },
      [tooMany('things')],
    ],
    [
      'of the second no name is listed',
      { things: things(10_001, {}), activities: { build: { on: ['moat'], workMs: 1 } } },
      [tooMany('things'), 'activities.build.on.0: moat is none of things ()'],
    ],
    ['a list is refused likewise', onHall({ on: list(10_001, () => 'moat') }), [tooMany('activities.build.on')]],
  ])('%s', (_, json, faults) => {
    const found = faultsOf(json);
    expect(found.filter((fault) => !fault.includes('Too big'))).toEqual(faults);
  });

  it('a list that can be read has its faults, although it is too long', () => {
    const found = faultsOf(onHall({ on: list(10_000, () => 'moat') }));
    expect(found).toContain('activities.build.on.0: moat is none of things (hall)');
  });

  it('the search for the nearest name ends after two thousand names', () => {
    const towers = named(2000, (at) => [`tower ${at}`, {}]);
    expect(faultsOf({ things: towers, activities: { build: { on: ['towr 217', 'towr 218'], workMs: 1 } } })).toEqual([
      'activities.build.on.0: towr 217 is none of things (did you mean tower 217?)',
      'activities.build.on.1: towr 218 is none of things',
    ]);
  });
});

describe('a limit by the level of a thing', () => {
  const levels = { on: ['hall'], workMs: [1, 1], gives: { level: 1 } };
  const limits = (of: object, activities: object = { build: levels }) =>
    faultsOf({
      things: Object.fromEntries(Object.entries({ hall: 1, ...of }).map(([thing, limit]) => [thing, { limit }])),
      activities,
    });

  it.each([
    ['rises at its highest level', { hut: { hall: [0, 0, 1] } }],
    ['rises for two things', { hut: { hall: [0, 1] }, mill: { hall: [0, 1] } }],
  ])('is no fault where it %s', (_, of) => expect(limits(of)).toEqual([]));

  it('is a fault where it rises above its highest level', () => {
    expect(limits({ hut: { hall: [0, 0, 0, 1] } })).toEqual([
      'things.hut.limit.hall: is 0 for ever, since hall never has the level that it needs',
    ]);
  });

  it('has no further fault where it names two things, or an activity is unreadable', () => {
    expect(limits({ hut: { hut: [0, 1], hall: [1] } })).toEqual([
      'things.hut.limit: names one thing, with a list in which not all is 0',
    ]);
    expect(limits({ hut: { hall: [0, 1] } }, { build: 7 })).toHaveLength(1);
  });
});
