import { describe, expect, it } from 'vitest';
import { opsSchemas } from '../../server/http/ops-schemas.ts';
import { conditionsOf } from '../../shared/ops/conditions.ts';
import { type Formats, fieldsText, fillWords, wordsOf } from '../../shared/ops/fill-words.ts';
import { petEvents } from '../../shared/pets/events.ts';
import { petWords } from '../../shared/pets/words.ts';

const formats: Formats = {
  number: (value) => `n${value}`,
  span: (ms) => `${ms / 60_000} min`,
  signed: (ms) => `${ms > 0 ? '+' : ''}${ms / 60_000} min`,
  instant: (atMs) => `@${atMs}`,
  items: (deltas) => JSON.stringify(deltas),
};
const told = (template: string, facts: object) => fillWords(template, facts, formats);

describe('a template of a module', () => {
  it('shows fields by what their names say', () => {
    const facts = { food: 'hay', count: 2, workMs: 120_000, byMs: 60_000, dueAt: 5, endsAtMs: 6, items: { hay: -1 } };
    expect(told('{food} {count} {workMs} {byMs} {dueAt} {endsAtMs} {items}', facts)).toBe(
      'hay n2 2 min +1 min @5 @6 {"hay":-1}',
    );
  });

  it('shows as an instant what is too long for a span', () => {
    expect(told('{sinceMs}', { sinceMs: 1_790_000_000_000 })).toBe('@1790000000000');
  });

  it.each([9e15, -9e15, Infinity])('shows as a number what no date can be: %d', (ms) => {
    const facts = { dueAt: ms, fooAtMs: ms, workMs: ms };
    expect(told('{dueAt} {fooAtMs} {workMs}', facts)).toBe(`n${ms} n${ms} n${ms}`);
    expect(fieldsText(facts, formats)).toBe(`dueAt n${ms}, fooAtMs n${ms}, workMs n${ms}`);
  });

  it('shows as an instant the first and the last one of all dates', () => {
    expect(told('{fromAtMs} {endsAtMs}', { fromAtMs: -8.64e15, endsAtMs: 8.64e15 })).toBe(
      '@-8640000000000000 @8640000000000000',
    );
  });

  it('reaches into fields, and into each entry of a list', () => {
    expect(told('{meal.food}, {armed.left}', { meal: { food: 'hay' }, armed: [{ left: 3 }, { left: 2 }] })).toBe(
      'hay, n3 + n2',
    );
  });

  it('leaves out what is missing, empty, zero or something else', () => {
    const template = 'a[by?, by {by}][by=card? again][armed? armed][count? {count}]';
    expect(told(template, {})).toBe('a');
    expect(told(template, { by: '', armed: [], count: 0 })).toBe('a');
    expect(told(template, { by: 'card', armed: [1], count: 1 })).toBe('a, by card again armed n1');
  });

  it('never fails: fields that are not there are empty, and what every object has is no field', () => {
    expect(told('{gone}{gone.deeper}{constructor}{__proto__}', {})).toBe('');
    expect(told('[open? {', { open: true })).toBe('[open? {');
  });

  it('is not needed: fields are shown by name', () => {
    expect(fieldsText({ workMs: 60_000, work: { leftMs: 60_000, sinceAtMs: 7 }, none: undefined }, formats)).toBe(
      'workMs 1 min, leftMs 1 min, sinceAtMs @7',
    );
  });
});

describe('the words of modules', () => {
  const modules = [
    {
      name: 'old',
      version: 1,
      kind: 'old',
      items: [],
      canShift: false,
      canStop: false,
      words: { en: { thing: '{a}' } },
    },
  ];

  it('are in English where a language is not there, and the fields where no words are', () => {
    expect(wordsOf(modules, 'zh').thing('old', { a: 'b' }, formats)).toBe('b');
    expect(wordsOf(modules, 'zh').thing('new', { a: 'b' }, formats)).toBe('a b');
    expect(wordsOf(modules, 'zh').event('old/x', {}, formats)).toBeUndefined();
  });

  it('of the pets say in both languages something of every event', () => {
    for (const language of ['en', 'zh']) {
      expect(Object.keys(petWords[language]?.events ?? {}).toSorted()).toEqual(Object.keys(petEvents).toSorted());
    }
    expect(Object.keys(petWords.zh?.refusals ?? {})).toEqual(Object.keys(petWords.en?.refusals ?? {}));
  });
});

describe('conditions on a thing', () => {
  it('are read as people write them', () => {
    expect(conditionsOf(['species = dog', 'xp>=30', 'level=3', 'isReady = true', 'name = "7"'])).toEqual({
      fields: { species: 'dog', level: 3, isReady: true, name: '7' },
      atLeast: { xp: 30 },
    });
  });

  it.each(['level = 2', 'level=1', 'xp>=9'])(
    'are refused where they say another thing of the field again: %s',
    (line) => {
      expect(conditionsOf(['level=1', 'xp>=3', line])).toEqual({ wrong: line });
    },
  );

  it('are refused by a server that gets them all the same, with what to write', () => {
    const things = { module: 'pets', ...conditionsOf(['species = dog', 'species = cat']) };
    const { error } = opsSchemas.createJob.safeParse({
      reason: 'why',
      commandId: 'command-1',
      items: { snack: 1 },
      filter: { things },
    });
    expect(error?.issues).toMatchObject([
      { path: ['filter', 'things', 'wrong'], message: expect.stringContaining('each field once') },
    ]);
  });

  it.each(['species', 'xp >= many', '= dog', 'xp <= 3', '', '__proto__ = dog'])(
    'are refused where they are none: %s',
    (line) => {
      expect(conditionsOf(['level=1', line])).toEqual({ wrong: line });
    },
  );
});
