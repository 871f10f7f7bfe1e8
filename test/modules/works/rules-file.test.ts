import { describe, expect, it } from 'vitest';
import { RulesRefused, works } from '../../../server/settings/rules.ts';
import { durationMsOf } from '../../../shared/rule-shapes.ts';
import { parseWorksRules } from '../../../shared/works/rules-file.ts';

/** The parts of a file that works, for others to be put in. As a file is read: `__proto__` is an own key there. */
const file = (parts: string): unknown =>
  JSON.parse(
    `{ "things": { "hall": {}, "plot": {} }, "slots": { "builders": { "base": 1 } }, "activities": {}, ${parts} }`,
  );
const faultsOf = (json: unknown): readonly string[] => {
  const parsed = parseWorksRules(json);
  return parsed.ok ? [] : parsed.error;
};
const activity = (fields: string, more = ''): unknown =>
  file(`"activities": { "build": { "on": ["hall"], "workMs": 1 ${fields} } ${more} }`);

describe('a duration', () => {
  it.each([
    [250, 250],
    ['250ms', 250],
    ['90s', 90_000],
    ['1m', 60_000],
    ['1h30m', 5_400_000],
    ['4h', 14_400_000],
    ['2d', 172_800_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['1w', 604_800_000],
    ['1w1d', 691_200_000],
    ['1.5h', 5_400_000],
    ['0.5d', 43_200_000],
    ['1.1h', 3_960_000],
    ['0.001s', 1],
    ['2.5m30s', 180_000],
  ])('%s is %i ms', (written, ms) => {
    expect(durationMsOf(written)).toBe(ms);
  });

  it.each([
    '',
    '4',
    '4 h',
    '1m2h',
    '-1s',
    'h',
    '.5h',
    '1.h',
    '1,5h',
    '1.5ms',
    '0.0001s',
    '1d1w',
    'soon',
    1.5,
    null,
    undefined,
    ['1h'],
  ])('%s is none', (written) => {
    expect(durationMsOf(written)).toBeUndefined();
  });
});

describe('a file of rules', () => {
  it('is read with its durations and what is left out', () => {
    const parsed = parseWorksRules(activity(', "takes": [{ "wood": 1 }, {}]'));
    expect(parsed.ok && parsed.value).toEqual({
      starter: { items: {} },
      things: { hall: { limit: 100, takes: {} }, plot: { limit: 100, takes: {} } },
      slots: { builders: { base: 1, queue: 0 } },
      activities: { build: { on: ['hall'], workMs: 1, takes: [{ wood: 1 }, {}] } },
      cards: {},
      cancelGivesBack: 0,
      queueTakes: 'queue',
      windows: {},
    });
  });

  it.each<[string, unknown, string]>([
    ['work that takes no time', activity(', "workMs": 0'), 'activities.build.workMs'],
    ['work of a day in words', activity(', "workMs": "a day"'), 'activities.build.workMs'],
    ['work of more than ten years', activity(', "workMs": "3661d"'), 'activities.build.workMs'],
    ['a list with something that is no duration', activity(', "workMs": ["1h", "x"]'), 'activities.build.workMs.1'],
    ['an empty list', activity(', "takes": []'), 'activities.build.takes'],
    ['a cost below 0', activity(', "takes": { "wood": -1 }'), 'activities.build.takes.wood'],
    [
      'a cost below 0 in a list',
      activity(', "workMs": [1, 1], "takes": [{ "wood": 1 }, { "wood": 0.5 }]'),
      'activities.build.takes.1.wood',
    ],
    ['a level as a cost', activity(', "takes": { "level": 1 }'), 'activities.build.takes.level'],
    ['an item called constructor', activity(', "gives": { "constructor": 1 }'), 'activities.build.gives.constructor'],
    ['an item called __proto__', activity(', "gives": { "__proto__": 1 }'), 'activities.build.gives'],
    [
      'lists that are not of one length',
      activity(', "workMs": [1, 2], "takes": [{}, {}, {}]'),
      'activities.build.takes',
    ],
    ['a thing that there is not', activity(', "on": ["hall", "moat"]'), 'activities.build.on.1'],
    ['a thing named twice', activity(', "on": ["hall", "hall"]'), 'activities.build.on'],
    ['nothing to do it on', activity(', "on": []'), 'activities.build.on'],
    ['a slot that there is not', activity(', "slot": "ships"'), 'activities.build.slot'],
    ['a need that there is not', activity(', "needs": { "moat": 1 }'), 'activities.build.needs.moat'],
    ['below without auto', activity(', "below": { "wood": 1 }'), 'activities.build.below'],
    ['auto that nothing stops', activity(', "auto": true'), 'activities.build.auto'],
    ['auto below nothing', activity(', "auto": true, "below": {}, "takes": {}'), 'activities.build.auto'],
    [
      'a need above the highest level',
      activity(', "workMs": [1, 2], "gives": { "level": 1 }, "needs": { "hall": 3 }'),
      'activities.build.needs.hall',
    ],
    ['a need of a level that nothing gives', activity(', "needs": { "plot": 1 }'), 'activities.build.needs.plot'],
    ['a thing called items', file('"things": { "items": {} }'), 'things.items'],
    ['a need of items without a number', activity(', "needs": { "items": 7 }'), 'activities.build.needs.items'],
    [
      'a need of half an item in a list',
      activity(', "workMs": [1, 1], "needs": [{}, { "items": { "xp": 0.5 } }]'),
      'activities.build.needs.1.items.xp',
    ],
    [
      'a need of level as an item',
      activity(', "needs": { "items": { "level": 1 } }'),
      'activities.build.needs.items.level',
    ],
    ['a level that is an amount', activity(', "needs": { "hall": { "xp": 1 } }'), 'activities.build.needs.hall'],
    ['a need called __proto__', activity(', "needs": { "__proto__": 1 }'), 'activities.build.needs'],
    [
      'needs by level that end before the others',
      activity(', "workMs": [1, 2], "needs": [{}]'),
      'activities.build.needs',
    ],
    [
      'a need in a list above the highest level',
      activity(', "workMs": [1, 2], "needs": [{}, { "plot": 1 }]'),
      'activities.build.needs.1.plot',
    ],
    [
      'a need in a list that there is not',
      activity(', "workMs": [1, 2], "needs": [{ "moat": 1 }, {}]'),
      'activities.build.needs.0.moat',
    ],
    ...['"slot": "builders"', '"collect": true', '"auto": true, "takes": { "wood": 1 }', '"below": { "wood": 1 }'].map(
      (field): [string, unknown, string] => [
        `what takes no time with ${field}`,
        file(`"activities": { "sell": { "on": ["hall"], ${field} } }`),
        `activities.sell.${field.split('"')[1]}`,
      ],
    ),
    [
      'a capacity of what is not collected',
      activity(', "auto": true, "takes": { "wood": 1 }, "holds": 3'),
      'activities.build.holds',
    ],
    ['a capacity of what is not auto', activity(', "collect": true, "holds": 3'), 'activities.build.holds'],
    [
      'a capacity of what is gone at its end',
      activity(', "auto": true, "collect": true, "consumes": true, "holds": 3'),
      'activities.build.holds',
    ],
    ['a capacity of one', activity(', "auto": true, "collect": true, "holds": 1'), 'activities.build.holds'],
    [
      'a limit by two things',
      file('"things": { "a": { "limit": { "b": [1], "a": [1] } }, "b": {} }'),
      'things.a.limit',
    ],
    ['a limit by nothing', file('"things": { "a": { "limit": {} } }'), 'things.a.limit'],
    ['a limit that is always 0', file('"things": { "a": { "limit": { "a": [0, 0] } } }'), 'things.a.limit'],
    ['a limit that is no list', file('"things": { "a": { "limit": { "a": 3 } } }'), 'things.a.limit.a'],
    ['a limit of half a thing', file('"things": { "a": { "limit": { "a": [1, 0.5] } } }'), 'things.a.limit.a.1'],
    ['a limit by what there is not', file('"things": { "a": { "limit": { "moat": [1] } } }'), 'things.a.limit.moat'],
    ['an empty list of prices', file('"things": { "a": { "takes": [] } }'), 'things.a.takes'],
    [
      'a price below 0 in a list',
      file('"things": { "a": { "takes": [{}, { "gold": -1 }] } }'),
      'things.a.takes.1.gold',
    ],
    ['no times at most', activity(', "atMost": { "times": 0 }'), 'activities.build.atMost.times'],
    [
      'a period that is none',
      activity(', "atMost": { "times": 1, "per": { "cron": "0 0 31 2 *", "timeZone": "UTC" } }'),
      'activities.build.atMost.per.cron',
    ],
    [
      'a period without a zone',
      activity(', "atMost": { "times": 1, "per": { "cron": "@daily" } }'),
      'activities.build.atMost.per.timeZone',
    ],
    [
      'auto at most once',
      activity(', "auto": true, "collect": true, "atMost": { "times": 1 }'),
      'activities.build.atMost',
    ],
    [
      'more counted activities than a home has counters',
      file(
        `"activities": { ${Array.from({ length: 801 }, (_, at) => `"a${at}": { "on": ["hall"], "atMost": { "times": 1 } }`).join()} }`,
      ),
      'activities',
    ],
    ['auto in a slot', activity(', "auto": true, "slot": "builders"'), 'activities.build.slot'],
    [
      'auto whose level rises along a list',
      activity(', "auto": true, "workMs": [1, 2], "gives": { "level": 1 }'),
      'activities.build.auto',
    ],
    [
      'two that are auto on one thing',
      activity(', "auto": true', ', "dig": { "on": ["plot", "hall"], "workMs": 1, "auto": true }'),
      'activities.dig.auto',
    ],
    ['a field that is not known', activity(', "cost": {}'), 'activities.build'],
    ['a part that is not known', file('"levels": []'), 'rules'],
    ['a limit of 0', file('"things": { "hall": { "limit": 0 } }'), 'things.hall.limit'],
    ...[
      '-',
      '_x',
      ' a',
      'a ',
      'a.b',
      'a/b',
      'a:b',
      'a~b',
      'a"b',
      'a{b}',
      'a\tb',
      'a\u200bb',
      'e\u0301',
      '😀',
      'a'.repeat(33),
    ].map((thing): [string, unknown, string] => [
      `the name ${JSON.stringify(thing)}`,
      file(`"things": { ${JSON.stringify(thing)}: {} }`),
      `things.${thing.split(':')[0]}`,
    ]),
    ['the name toString', file('"things": { "toString": {} }'), 'things.toString'],
    ['a level that leaves whole numbers', activity(', "gives": { "level": 1000001 }'), 'activities.build.gives'],
    ['half an amount', activity(', "gives": { "wood": 0.5 }'), 'activities.build.gives.wood'],
    ['more than can be counted', activity(', "takes": { "wood": 9007199254740992 }'), 'activities.build.takes.wood'],
    [
      'a starter that fills the stock',
      file('"starter": { "items": { "wood": 9007199254740991 } }'),
      'starter.items.wood',
    ],
    [
      'a capacity of more than can be counted',
      activity(', "auto": true, "collect": true, "holds": 2, "gives": { "wood": 4503599627370496 }'),
      'activities.build.holds',
    ],
    ['a description that is none', file('"things": { "hall": { "description": 7 } }'), 'things.hall.description'],
    [
      'half a character in a description',
      file('"things": { "hall": { "description": "\\ud800" } }'),
      'things.hall.description',
    ],
    ['a slot without a number', file('"slots": { "builders": {} }'), 'slots.builders.base'],
    ['a queue of half a place', file('"slots": { "builders": { "base": 1, "queue": 0.5 } }'), 'slots.builders.queue'],
    ['a card of an unknown effect', file('"cards": { "gem": { "effect": "win" } }'), 'cards.gem.effect'],
    [
      'a card that finishes for nothing',
      file('"cards": { "gem": { "effect": "finish", "msEach": 0 } }'),
      'cards.gem.msEach',
    ],
    [
      'a card with the fields of another',
      file('"cards": { "gem": { "effect": "cut", "workMs": 1, "times": 1 } }'),
      'cards.gem',
    ],
    [
      'a boost of more than a year',
      file('"cards": { "b": { "effect": "rate", "rate": 2, "lastsMs": "366d" } }'),
      'cards.b.lastsMs',
    ],
    ['a card called level', file('"cards": { "level": { "effect": "repeat", "times": 1 } }'), 'cards.level'],
    ['a share of more than all', file('"cancelGivesBack": 1.1'), 'cancelGivesBack'],
    ['a share of five decimals', file('"cancelGivesBack": 0.33333'), 'cancelGivesBack'],
    ['a share of ten decimals', file('"cancelGivesBack": 0.0000000001'), 'cancelGivesBack'],
    ['another way to take', file('"queueTakes": "later"'), 'queueTakes'],
    ['nothing at all', {}, 'things'],
    ['a list', [], 'rules'],
    ['null', null, 'rules'],
  ])('is refused for %s', (_, json, path) => {
    expect(faultsOf(json).map((fault) => fault.split(':')[0])).toContain(path);
  });

  it('is refused with every fault at once, each with what is right', () => {
    const faults = faultsOf(
      file(`"cards": { "gem": { "effect": "finish", "msEach": "soon" } }, "activities": {
        "build": { "on": ["hall", "moat"], "slot": "ships", "workMs": ["1h", "2h"], "takes": [{}], "below": { "wood": 1 } } }`),
    );
    expect(faults).toEqual([
      'cards.gem.msEach: is no time from 1 ms to 36600d: write whole milliseconds, or "90s", "1.5h", "2d12h", "1w"',
      'activities.build.on.1: moat is none of things (hall, plot)',
      'activities.build.slot: ships is none of slots (builders)',
      'activities.build.takes: has 1 levels, and workMs has 2',
      'activities.build.below: says when what is auto starts: set auto, or leave it out',
    ]);
  });

  it.each([
    ['an activity that is none', file('"activities": { "build": 7 }'), []],
    ['things that are no table', file('"things": 7'), []],
    ['a list of things that is none', activity(', "on": "hall"'), []],
    ['a thing without a name', activity(', "on": [7]'), []],
    [
      'a need that there is not',
      activity(', "needs": { "moat": 1 }'),
      ['activities.build.needs.moat: moat is none of things (hall, plot)'],
    ],
    [
      'auto with a list along which some levels rise',
      activity(', "auto": true, "collect": true, "gives": [{ "level": 1 }, {}]'),
      ['activities.build.auto: goes on as it was ordered, so lists and a level that rises do not go together'],
    ],
    [
      'auto whose level rises along a list of something else',
      activity(', "auto": true, "collect": true, "workMs": [1, 2], "gives": { "level": 1 }'),
      ['activities.build.auto: goes on as it was ordered, so lists and a level that rises do not go together'],
    ],
    [
      'a second that is auto on one thing',
      activity(
        ', "auto": true, "collect": true',
        ', "dig": { "on": ["plot", "hall"], "workMs": 1, "auto": true, "collect": true }',
      ),
      ['activities.dig.auto: hall has build already, one is all it can do'],
    ],
    [
      'auto that takes something at some levels only',
      activity(', "auto": true, "takes": [{ "wood": 1 }, {}]'),
      ['activities.build.auto: writes events for ever: set below, or let it take, be collected or consume'],
    ],
    [
      'auto that takes 0',
      activity(', "auto": true, "takes": { "wood": 0 }'),
      ['activities.build.auto: writes events for ever: set below, or let it take, be collected or consume'],
    ],
    [
      'an item of below that is named nowhere else',
      activity(', "auto": true, "gives": { "calm": 1 }, "below": { "calm": 5, "clam": 1 }'),
      [
        'activities.build.below.clam: clam is none of the items in starter, takes, gives, needs, slots and cards (calm)',
      ],
    ],
    [
      'things of which one is none, where items of below are looked up',
      file(`"things": { "hall": {}, "plot": null }, "activities": {
        "rest": { "on": ["hall"], "workMs": 1, "auto": true, "gives": { "calm": 1 }, "below": { "calm": 5 } } }`),
      [],
    ],
    [
      'a list of things that is none, of what is auto and needs one',
      activity(', "auto": true, "collect": true, "needs": { "hall": 0 }, "on": "hall"'),
      [],
    ],
    [
      'a prize that is none',
      activity(', "oneOf": { "name": "wheel", "of": [null, { "weight": 1, "gives": {} }] }'),
      [],
    ],
    ['a prize without gains', activity(', "oneOf": { "name": "wheel", "of": [{ "weight": 1 }] }'), []],
  ])('says of %s what is wrong with it, and of what belongs to it nothing', (_, json, comparing) => {
    const faults = faultsOf(json);
    expect(faults.filter((fault) => !/: (Invalid|expected)/.test(fault))).toEqual(comparing);
    expect(faults.length).toBe(1);
  });

  it('does not compare what is auto on things that cannot be read', () => {
    const on = '"on": "hall", "auto": true, "collect": true';
    const faults = faultsOf(activity(`, ${on}`, `, "dig": { ${on}, "workMs": 1 }`));
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(['activities.build.on', 'activities.dig.on']);
  });

  it('may have as many counters as a home has room for, and prizes that need none', () => {
    const counted = Array.from(
      { length: 800 },
      (_, at) => `"a${at}": { "on": ["hall"], "atMost": { "times": 1 } }`,
    ).join();
    const prizes = Array.from({ length: 801 }, () => '{ "weight": 1, "gives": {} }').join();
    const wheel = `"spin": { "on": ["hall"], "workMs": 1, "oneOf": { "name": "wheel", "of": [${prizes}] } }`;
    expect(faultsOf(file(`"activities": { ${counted} }`))).toEqual([]);
    expect(faultsOf(file(`"activities": { ${counted}, ${wheel} }`))).toEqual([]);
  });

  it.each([
    ', "auto": true, "below": { "wood": 5 }, "gives": { "wood": 1 }',
    ', "auto": true, "takes": { "wood": 1 }',
    ', "auto": true, "collect": true',
    ', "auto": true, "consumes": true',
    ', "auto": true, "collect": true, "holds": 24',
    // 6361 times as much is 2^53 - 1.
    ', "auto": true, "collect": true, "holds": 6361, "gives": { "wood": 1416003655831 }',
    ', "workMs": [1, 2], "gives": { "level": 1 }, "needs": { "hall": 2 }',
    ', "workMs": [1, 2], "gives": [{ "level": 2 }, { "level": 5 }], "needs": { "hall": 6 }',
    ', "gives": { "level": 1 }, "needs": { "hall": 1000 }',
    ', "needs": { "items": { "xp": 250 } }',
    ', "workMs": [1, 2], "gives": { "level": 1 }, "needs": [{}, { "hall": 1, "items": { "xp": 250 } }]',
  ])('may have what comes to an end, and a need that can be met: %s', (more) => {
    expect(faultsOf(activity(more))).toEqual([]);
  });

  it.each([
    ['"starter": { "items": { "ore": 0 } }, ', ''],
    ['"things": { "hall": { "takes": [{ "ore": 1 }] } }, ', ''],
    ['"slots": { "builders": { "base": 1, "item": "ore" } }, ', ''],
    ['"cards": { "ore": { "effect": "repeat", "times": 1 } }, ', ''],
    ['', ', "takes": [{ "ore": 1 }]'],
    ['', ', "gives": { "ore": [1, 2] }'],
    ['', ', "needs": [{ "items": { "ore": 1 } }]'],
    ['', ', "oneOf": { "name": "wheel", "of": [{ "weight": 1, "gives": { "ore": 1 } }] }'],
  ])('asks for an item of below that it names elsewhere: %s%s', (part, field) => {
    const rules = (below: string) =>
      file(`${part} "activities": { "dig": { "on": ["hall"], "workMs": 1 ${field} },
        "rest": { "on": ["hall"], "workMs": 1, "auto": true, "gives": { "calm": 1 }, "below": { "calm": 5, "${below}": 1 } } }`);
    expect(faultsOf(rules('ore'))).toEqual([]);
    expect(faultsOf(rules('orre'))).toEqual([
      expect.stringMatching(/^activities.rest.below.orre: orre is none of the items in starter, .*\bore\b/),
    ]);
    expect(
      faultsOf(
        file(`${part} "activities": { "dig": { "on": ["hall"], "workMs": 1, "auto": true, "below": { "orre": 1 } } }`),
      ),
    ).toHaveLength(1);
  });

  it('may have what takes no time, and says how where its work is 0', () => {
    expect(faultsOf(file('"activities": { "sell": { "on": ["hall"], "collect": false, "auto": false } }'))).toEqual([]);
    expect(
      faultsOf(file('"activities": { "up": { "on": ["hall"], "gives": [{ "level": 1 }], "takes": [{}] } }')),
    ).toEqual([]);
    expect(faultsOf(activity(', "workMs": 0'))).toContain(
      'activities.build.workMs: what takes no time has none: leave it out',
    );
  });

  it('may have what is auto raise a level, where there are no lists', () => {
    expect(faultsOf(activity(', "auto": true, "collect": true, "gives": { "level": 1 }'))).toEqual([]);
  });

  it('has names as people write them, amounts as far as one can count, and descriptions', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const description = 'Holds what grows.\nBigger is better.';
    const parsed = parseWorksRules({
      things: { 'Großer Turm': { description, takes: { Gold_2: most } }, 木材场: {}, '٣': {}, हाथी: {}, 'x-': {} },
      slots: { 'Bau Leute': { base: 1, description } },
      activities: { 'Aus-Bau': { on: ['Großer Turm', '木材场'], slot: 'Bau Leute', workMs: '1w', description } },
      cards: { Éclair: { effect: 'cut', workMs: '1.5h', description } },
    });
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        things: { 'Großer Turm': { description, takes: { Gold_2: most } } },
        slots: { 'Bau Leute': { description } },
        activities: { 'Aus-Bau': { workMs: 604_800_000, description } },
        cards: { Éclair: { description } },
      },
    });
  });

  it('that is refused stops the game at its start, with the name of the module', () => {
    expect(() => works({ name: 'town', rules: {} })).toThrow(RulesRefused);
    expect(() => works({ name: 'town', rules: activity(', "slot": "ships"') })).toThrow(
      'town: activities.build.slot: ships is none of slots (builders)',
    );
    expect(() => works({ name: 'Town', rules: activity('') })).toThrow('name is "Town"');
  });
});

describe('a file of rules with an unreadable part', () => {
  const ofSchema = (fault: string): boolean => /: (Invalid|a name is 1 to 32)/.test(fault);
  const long = 'a'.repeat(33);

  it.each<[string, unknown, readonly string[]]>([
    ['things that are no table', { things: 7, activities: { build: { on: ['hall'], workMs: 1 } } }, []],
    [
      'an activity that is null',
      file('"activities": { "dig": null, "build": { "on": ["moat"], "workMs": 1 } }'),
      ['activities.build.on.0: moat is none of things (hall, plot)'],
    ],
    ['an activity with too long a name', file(`"activities": { "${long}": { "on": ["moat"], "workMs": 1 } }`), []],
    ['a reference to too long a name', activity(`, "on": ["${long}"]`), []],
    [
      'a thing that is none, with which a limit rises',
      file('"things": { "S": 7, "hall": { "limit": { "S": [0, 1] } } }'),
      [],
    ],
  ])('has its fault once, and those of the others: %s', (_, json, others) => {
    const faults = faultsOf(json);
    expect(faults.filter((fault) => !ofSchema(fault))).toEqual(others);
    expect(faults.filter(ofSchema)).toHaveLength(1);
  });

  it('is read as far as names of 32 letters go, in an entry and in a reference', () => {
    const longest = 'a'.repeat(32);
    expect(faultsOf(file(`"activities": { "${longest}": { "on": ["${longest}"], "workMs": 1 } }`))).toEqual([
      `activities.${longest}.on.0: ${longest} is none of things (hall, plot)`,
    ]);
  });

  it('has up to five known names listed with a fault', () => {
    const slots = (...names: readonly string[]) =>
      file(
        `"slots": { ${names.map((slot) => `"${slot}": { "base": 1 }`).join()} },
         "activities": { "build": { "on": ["hall"], "workMs": 1, "slot": "ship" } }`,
      );
    expect(faultsOf(slots('ships', 'b', 'c', 'd', 'e'))).toEqual([
      'activities.build.slot: ship is none of slots (ships, b, c, d, e)',
    ]);
    expect(faultsOf(slots('ships', 'b', 'c', 'd', 'e', 'f'))).toEqual([
      'activities.build.slot: ship is none of slots (did you mean ships?)',
    ]);
  });
});

it.each([
  ['a range of one amount', ', "gives": { "wood": [3, 3] }'],
  ['a level that rises by the most', ', "gives": { "level": 1000000 }'],
])('a file of rules may have %s', (_, more) => expect(faultsOf(activity(more))).toEqual([]));
