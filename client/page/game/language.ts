import { computed, signal } from '@preact/signals';
import { languageOf } from '../../look/language-of.ts';
import { en, type PageWords } from '../words/en.ts';
import { formatsOf } from '../words/formats.ts';
import type { Memory } from './memory.ts';

/** Each named in itself. */
export const languages = {
  en: { lang: en.lang, ownName: en.ownName },
  zh: { lang: 'zh-CN', ownName: '中文' },
} as const;
type LanguageName = keyof typeof languages;

const isLanguage = (name: string): name is LanguageName => Object.hasOwn(languages, name);

type Loaders = Readonly<Record<LanguageName, () => Promise<PageWords>>>;
/** Loaded only for readers of the language. */
const loaders: Loaders = {
  en: async () => en,
  zh: async () => (await import('../words/zh.ts')).zh,
};

export type Language = Awaited<ReturnType<typeof createLanguage>>;

/** The page's language: the stored choice, else the browser's first known one; English if its words cannot be loaded. */
export const createLanguage = async (memory: Memory, preferred: readonly string[], load: Loaders = loaders) => {
  const spoken = signal<{ readonly name: LanguageName; readonly words: PageWords }>({ name: 'en', words: en });
  let chosen: LanguageName = 'en';
  const speak = async (name: LanguageName): Promise<void> => {
    chosen = name;
    const loaded = await load[name]();
    // Another one may be chosen while it loads.
    if (chosen === name) spoken.value = { name, words: loaded };
  };
  await speak(languageOf(['en', 'zh'], [memory.lang, ...preferred])).catch(() => undefined);
  const words = computed(() => spoken.value.words);
  return {
    lang: computed(() => spoken.value.name),
    words,
    formats: computed(() => formatsOf(words.value)),
    choose: async (name: string): Promise<void> => {
      if (!isLanguage(name)) return;
      await speak(name).catch(() => undefined);
      memory.lang = spoken.value.name;
    },
  };
};
