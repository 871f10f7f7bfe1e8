import { computed, signal } from '@preact/signals';
import { languageOf } from '../../look/language-of.ts';
import { en, type Words } from '../words/en.ts';
import { formatsOf } from '../words/formats.ts';
import { zh } from '../words/zh.ts';
import type { Memory } from './memory.ts';

export const languages: Readonly<Record<string, Words>> = { en, zh };

/** The page's language: what was chosen before, else the first of the browser's that there is. */
export const createLanguage = (memory: Memory, preferred: readonly string[]) => {
  const lang = signal<string>(languageOf(['en', 'zh'], [memory.lang, ...preferred]));
  const words = computed(() => languages[lang.value] ?? en);
  return {
    lang,
    words,
    formats: computed(() => formatsOf(words.value)),
    choose: (name: string): void => {
      lang.value = name;
      memory.lang = name;
    },
  };
};
