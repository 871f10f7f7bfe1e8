import { describe, expect, it } from 'vitest';
import { en } from '../../ops/words/en.ts';
import { number, shortSubject } from '../../ops/words/formats.ts';
import { language, languages, speak } from '../../ops/words/words.ts';
import { zh } from '../../ops/words/zh.ts';

const pathsOf = (value: unknown, path = ''): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, part]) => pathsOf(part, `${path}.${key}`))
    : [path];

const textsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
};

describe('the languages', () => {
  it('say the same things: tables of codes too, which the compiler lets pass', () => {
    expect(pathsOf(zh).toSorted()).toEqual(pathsOf(en).toSorted());
  });

  it('are offered under the names that they have', () => {
    expect(languages.zh).toEqual({ lang: zh.lang, ownName: zh.ownName });
  });

  it('leave nothing unsaid', () => {
    expect([...textsOf(en), ...textsOf(zh)].filter((text) => text.trim() === '')).toEqual([]);
  });

  it('are spoken as chosen last, also if an earlier choice is loaded later', async () => {
    await Promise.all([speak('zh'), speak('en')]);
    expect(language.value).toBe('en');
    await Promise.all([speak('en'), speak('zh')]);
    expect(language.value).toBe('zh');
  });
});

it('names the player once in the subject of a thing whose id begins with the player’s', () => {
  expect(shortSubject({ subject: 'guest:7~guest:7~p2', owner: 'guest:7' })).toBe('guest:7~p2');
  expect(shortSubject({ subject: 'guest:7~hall', owner: 'guest:7' })).toBe('guest:7~hall');
  expect(shortSubject({ subject: 'order-1', owner: 'ann' })).toBe('order-1');
});

it('says of a count that it may be more, once it reaches its bound', () => {
  expect([number(9_999, 10_000), number(10_000, 10_000), number(10_001)]).toEqual(['9,999', '10,000+', '10,001']);
});
