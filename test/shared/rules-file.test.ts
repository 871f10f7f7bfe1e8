import { describe, expect, it } from 'vitest';
import { defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { parseRules } from '../../shared/pets/rules-file.ts';

/** As a file is read: `__proto__` is an own key there, which it is not in a literal. */
const faultsOf = (json: string): readonly string[] => {
  const parsed = parseRules(JSON.parse(json));
  return parsed.ok ? [] : parsed.error;
};

describe('a rules file', () => {
  it('reads times in words, and a schema that an editor knows', () => {
    const file = {
      $schema: 'https://example.com/pets.schema.json',
      foods: { hay: { workMs: '4h', xp: 1 } },
      limits: { undoMs: 0, boostMs: '1d12h' },
    };
    expect(parseRules(file)).toMatchObject({
      value: { foods: { hay: { workMs: 14_400_000, xp: 1 } }, limits: { undoMs: 0, boostMs: 129_600_000 } },
    });
    expect(parseRules({ cards: { fast: { effect: 'rate', rate: 2, lastsMs: '366d' } } })).toMatchObject({
      ok: false,
      error: [expect.stringContaining('cards.fast.lastsMs: is more than limits.boostMs')],
    });
    const cards = { twice: { effect: 'repeat', times: 2 }, often: { effect: 'repeat', times: 11 } };
    const fault = 'cards.often.times: is more than limits.autoFeedsPerPet (10) allows: no one could play it';
    expect(parseRules({ cards, starter: { items: {} } })).toEqual({ ok: false, error: [fault] });
    expect(parseRules({ cards, starter: { items: {} }, limits: { autoFeedsPerPet: 11 } })).toMatchObject({ ok: true });
    expect(parseRules({ cards, starter: { items: {} }, limits: { autoFeedsPerPet: 0 } })).toMatchObject({ ok: true });
  });

  it('changes nothing when it is empty', () => {
    expect(parseRules({})).toEqual({ ok: true, value: defaultCatalogue });
  });

  it('can be the default catalogue written out', () => {
    expect(parseRules(JSON.parse(JSON.stringify(defaultCatalogue)))).toEqual({ ok: true, value: defaultCatalogue });
  });

  it('replaces limits one by one', () => {
    const parsed = parseRules({ limits: { undoMs: 0 } });
    expect(parsed.ok && parsed.value.limits).toEqual({ ...defaultCatalogue.limits, undoMs: 0 });
  });

  it('may have a boost that lasts as long as the limit allows, and says of other cards nothing of it', () => {
    const card = (fields: string) => faultsOf(`{"limits":{"boostMs":9},"cards":{"boost":${fields}}}`);
    expect(card('{"effect":"rate","rate":2,"lastsMs":9}')).toEqual([]);
    expect(card('{"effect":"cut","workMs":1,"lastsMs":10}')).toHaveLength(1);
    expect(card('null')).toHaveLength(1);
  });

  it('is compared with nothing in a part that cannot be read', () => {
    expect(faultsOf('{"cards":7,"starter":{"items":{"gold":1}}}')).toHaveLength(1);
    expect(faultsOf('{"species":[7,7]}')).toHaveLength(2);
  });

  it('takes the foods as a whole, and starter items that no longer exist leave with them', () => {
    const parsed = parseRules({ foods: { hay: { workMs: 1, xp: 0 } } });
    expect(parsed.ok && parsed.value.foods).toEqual({ hay: { workMs: 1, xp: 0 } });
    expect(parsed.ok && parsed.value.starter.items).toEqual({ 'speed-up': 3, 'auto-feed': 3, boost: 1 });
  });

  it.each<[string, string, string]>([
    ['an unknown effect', '{"cards":{"a":{"effect":"freeze","workMs":1}}}', 'cards.a.effect'],
    ['an effect that every object has', '{"cards":{"a":{"effect":"constructor"}}}', 'cards.a.effect'],
    ['work below 1', '{"foods":{"a":{"workMs":0,"xp":1}}}', 'foods.a.workMs'],
    ['a cut below 1', '{"cards":{"a":{"effect":"cut","workMs":0}}}', 'cards.a.workMs'],
    ['work that is not whole', '{"foods":{"a":{"workMs":1.5,"xp":1}}}', 'foods.a.workMs'],
    ['a meal of more than ten years', '{"foods":{"a":{"workMs":316224000001,"xp":1}}}', 'foods.a.workMs'],
    ['a cut of more than a hundred years', '{"cards":{"a":{"effect":"cut","workMs":3162240000001}}}', 'cards.a.workMs'],
    ['a boost of no time at most', '{"limits":{"boostMs":0}}', 'limits.boostMs'],
    [
      'a boost that lasts longer than any may',
      '{"limits":{"boostMs":9},"cards":{"a":{"effect":"rate","rate":2,"lastsMs":10}}}',
      'cards.a.lastsMs',
    ],
    ['work beyond whole doubles', '{"foods":{"a":{"workMs":1e300,"xp":1}}}', 'foods.a.workMs'],
    ['work that is text', '{"foods":{"a":{"workMs":"1","xp":1}}}', 'foods.a.workMs'],
    ['a rate of 1', '{"cards":{"a":{"effect":"rate","rate":1,"lastsMs":1}}}', 'cards.a.rate'],
    ['a rate that is not whole', '{"cards":{"a":{"effect":"rate","rate":2.5,"lastsMs":1}}}', 'cards.a.rate'],
    ['a huge rate', '{"cards":{"a":{"effect":"rate","rate":1e15,"lastsMs":1}}}', 'cards.a.rate'],
    ['a boost that lasts no time', '{"cards":{"a":{"effect":"rate","rate":2,"lastsMs":0}}}', 'cards.a.lastsMs'],
    ['a repeat of 0 times', '{"cards":{"a":{"effect":"repeat","times":0}}}', 'cards.a.times'],
    ['fields of another effect', '{"cards":{"a":{"effect":"cut","workMs":1,"times":1}}}', 'cards.a'],
    ['a card that is null', '{"cards":{"a":null}}', 'cards.a'],
    ['cards that are none, beside items', '{"cards":5,"starter":{"items":{"gold":1}}}', 'cards'],
    ['levels that descend', '{"levels":[0,30,20]}', 'levels'],
    ['levels that stand still', '{"levels":[0,30,30]}', 'levels'],
    ['levels that do not begin at 0', '{"levels":[1,2]}', 'levels'],
    ['no level', '{"levels":[]}', 'levels'],
    ['no species', '{"species":[]}', 'species'],
    ['a species listed twice', '{"species":["dog","dog"]}', 'species'],
    ['a starter item that does not exist', '{"starter":{"items":{"gold":1}}}', 'starter.items.gold'],
    ['a negative starter count', '{"starter":{"items":{"boost":-1}}}', 'starter.items.boost'],
    ['a food named as a card', '{"foods":{"boost":{"workMs":1,"xp":0}}}', 'foods.boost'],
    ['a limit of 0 pets', '{"limits":{"petsPerPlayer":0}}', 'limits.petsPerPlayer'],
    ['a part that is not known', '{"food":{}}', 'rules'],
    ['a limit that is not known', '{"limits":{"pets":1}}', 'limits'],
    ['a food named __proto__', '{"foods":{"__proto__":{"workMs":1,"xp":1}}}', 'foods'],
    ['a food named constructor', '{"foods":{"constructor":{"workMs":1,"xp":1}}}', 'foods.constructor'],
    ['a card named __proto__', '{"cards":{"__proto__":{"effect":"cut","workMs":1}}}', 'cards'],
    ['a starter item named __proto__', '{"starter":{"items":{"__proto__":1}}}', 'starter.items'],
    ['a part named __proto__', '{"__proto__":{}}', 'rules'],
    ['a name with a bracket', '{"foods":{"Hay[2]":{"workMs":1,"xp":1}}}', 'foods.Hay[2]'],
    ['a name of 33 characters', `{"species":["${'a'.repeat(33)}"]}`, 'species.0'],
    ['a list', '[]', 'rules'],
    ['null', 'null', 'rules'],
  ])('is refused for %s', (_, json, path) => {
    expect(faultsOf(json).map((fault) => fault.split(':')[0])).toContain(path);
  });

  it('compares the times of repeat cards alone with the limit', () => {
    const faults = faultsOf('{"cards":{"a":{"effect":"cut","workMs":1,"times":11}},"starter":{"items":{}}}');
    expect(faults.filter((fault) => fault.includes('no one could play it'))).toEqual([]);
    expect(faults).toHaveLength(1);
  });

  it('is refused with every fault at once', () => {
    const faults = faultsOf(`{ "limits": { "undoMs": -1 }, "species": ["?A"], "levels": [3, 2],
      "foods": { "hay": { "workMs": 0, "xp": 0.5 } }, "cards": { "a": { "effect": "x" }, "b": { "effect": "repeat" } } }`);
    for (const path of [
      'limits.undoMs',
      'species.0',
      'foods.hay.workMs',
      'foods.hay.xp',
      'cards.a.effect',
      'cards.b.times',
    ]) {
      expect(faults.some((fault) => fault.startsWith(`${path}: `))).toBe(true);
    }
    expect(faults.filter((fault) => fault.startsWith('levels: '))).toHaveLength(2);
  });

  it('is refused with what is wrong between its parts as well as within them', () => {
    const faults = faultsOf(`{ "species": ["dog", "dog", "?"], "starter": { "items": { "hay": 1, "gold": -1 } },
      "foods": { "hay": { "workMs": 0, "xp": 1 }, "a": { "workMs": 1, "xp": 1 } },
      "cards": { "a": { "effect": "rate", "rate": 2, "lastsMs": 40000000000 }, "b": 5 } }`);
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'species.2',
      'starter.items.gold',
      'foods.hay.workMs',
      'cards.b',
      'starter.items.gold',
      'foods.a',
      'species',
      'cards.a.lastsMs',
    ]);
  });

  it('does not say that an item is unknown where the foods cannot be read', () => {
    expect(faultsOf('{"foods":[],"starter":{"items":{"hay":1}}}').map((fault) => fault.split(':')[0])).toEqual([
      'foods',
    ]);
  });

  it('says of a bad name what a name is', () => {
    expect(faultsOf('{"foods":{"-":{"workMs":1,"xp":1}}}')).toEqual([
      'foods.-: a name is 1 to 32 letters and digits, with _, - and spaces between them',
    ]);
  });
});
