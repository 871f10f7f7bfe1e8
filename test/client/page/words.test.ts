import { describe, expect, it } from 'vitest';
import { createLanguage } from '../../../client/page/game/language.ts';
import type { Memory } from '../../../client/page/game/memory.ts';
import { townItems } from '../../../client/page/game/town.ts';
import { en, type PageWords } from '../../../client/page/words/en.ts';
import { formatsOf } from '../../../client/page/words/formats.ts';
import { zh } from '../../../client/page/words/zh.ts';
import { exampleTown, gameOf } from '../../../server/reference/game.ts';
import { defaultCatalogue } from '../../../shared/pets/catalogue.ts';

const HOUR_MS = 3_600_000;

describe.each([
  ['English', en],
  ['Chinese', zh],
] as const)('%s', (_language, words) => {
  it('has a name for everything in the default rules', () => {
    const { foods, cards, species } = defaultCatalogue;
    expect([...Object.keys(foods), ...Object.keys(cards)].filter((item) => !Object.hasOwn(words.items, item))).toEqual(
      [],
    );
    expect(species.filter((kind) => !Object.hasOwn(words.species, kind))).toEqual([]);
  });

  it('has a name for everything in the example town', () => {
    const { things, slots, activities } = exampleTown;
    const { town } = gameOf(undefined).works;
    const unnamed = (named: object | undefined, names: object) =>
      Object.keys(named ?? {}).filter((name) => !Object.hasOwn(names, name));
    expect(unnamed(things, words.town.things)).toEqual([]);
    expect(unnamed(slots, words.town.slots)).toEqual([]);
    expect(unnamed(activities, words.town.activities)).toEqual([]);
    expect(unnamed(activities, words.town.doing)).toEqual([]);
    expect(town && townItems(town).filter((item) => !Object.hasOwn(words.items, item))).toEqual([]);
  });

  it('promises an opening only if there is one', () => {
    const closed = (params: object) => words.refusals['works/closed']?.(params as never);
    expect(closed({})).toBe(closed({ closedAt: 1 }));
    expect(closed({ opensAt: 2, closedAt: 1 })).not.toBe(closed({}));
  });

  it('says each rejection in words, not by its code', () => {
    for (const [code, say] of Object.entries(words.refusals)) expect(say({ limit: 1, max: 1 })).not.toMatch(code);
  });
});

describe('formats', () => {
  const [english, chinese] = [formatsOf(en), formatsOf(zh)];

  it('says durations in the two largest units', () => {
    expect(english.duration(4 * HOUR_MS)).toBe('4 hours');
    expect(english.duration(4 * HOUR_MS + 59_000)).toBe('4 hours, 1 minute');
    expect(english.duration(12_400)).toBe('12 seconds');
    expect(english.duration(0)).toBe('0 seconds');
    expect(english.duration(26 * HOUR_MS)).toBe('1 day, 2 hours');
    expect(chinese.duration(2 * HOUR_MS + 90_000)).toBe('2小时2分钟');
  });

  it('counts down to 0:00 only when nothing is left', () => {
    expect([4 * HOUR_MS, 61_000, 1_000, 1, 0].map(english.countdown)).toEqual([
      '4:00:00',
      '1:01',
      '0:01',
      '0:01',
      '0:00',
    ]);
  });

  it('shows names that it does not know as they are', () => {
    expect(english.item('golden-carrot')).toBe('Golden carrot');
    expect(english.item('constructor')).toBe('Constructor');
    expect(english.items({ 'dog-food': 2, boost: 1 })).toBe('2 × Kibble and 1 × Boost');
  });
});

/** A page in English whose Chinese words are not loaded until the test says so. */
const open = async () => {
  const memory: Memory = { token: undefined, seen: undefined, lang: undefined };
  const slow = Promise.withResolvers<PageWords>();
  const language = await createLanguage(memory, ['en-US'], { en: async () => en, zh: () => slow.promise });
  return { memory, slow, language };
};

it('stays what was chosen last when an earlier choice is loaded later', async () => {
  const { memory, slow, language } = await open();
  const earlier = language.choose('zh');
  await language.choose('en');
  slow.resolve(zh);
  await earlier;
  expect(language.lang.value).toBe('en');
  expect(language.words.value).toBe(en);
  expect(memory.lang).toBe('en');
});

it('becomes what was chosen as soon as it is loaded, and stays as it was if it cannot be', async () => {
  const { memory, slow, language } = await open();
  const choice = language.choose('zh');
  expect(language.lang.value).toBe('en');
  slow.resolve(zh);
  await choice;
  expect(language.words.value).toBe(zh);
  expect(memory.lang).toBe('zh');
  const lost = await open();
  const failed = lost.language.choose('zh');
  lost.slow.reject(new Error('no network'));
  await failed;
  expect(lost.language.lang.value).toBe('en');
  expect(lost.memory.lang).toBe('en');
});
