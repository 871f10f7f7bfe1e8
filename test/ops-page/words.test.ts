import { describe, expect, it } from 'vitest';
import { en } from '../../ops/words/en.ts';
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
