import { expect, it } from 'vitest';
import { createLanguage } from '../../../client/page/game/language.ts';
import type { Memory } from '../../../client/page/game/memory.ts';
import { en, type PageWords } from '../../../client/page/words/en.ts';
import { zh } from '../../../client/page/words/zh.ts';

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
