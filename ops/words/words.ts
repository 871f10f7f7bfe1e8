import { computed, signal } from '@preact/signals';
import { en, type Words } from './en.ts';

/** Each named in itself. */
export const languages = {
  en: { lang: en.lang, ownName: en.ownName },
  zh: { lang: 'zh-CN', ownName: '中文' },
} as const;
export type LanguageName = keyof typeof languages;

export const isLanguage = (name: string): name is LanguageName => Object.hasOwn(languages, name);

/** Loaded only for readers of the language. */
const loaders: Readonly<Record<LanguageName, () => Promise<Words>>> = {
  en: async () => en,
  zh: async () => (await import('./zh.ts')).zh,
};

const spoken = signal<{ readonly name: LanguageName; readonly words: Words }>({ name: 'en', words: en });

export const language = computed(() => spoken.value.name);

let chosen: LanguageName = 'en';

/** From now on the page uses this language, unless another one is chosen while it loads. */
export const speak = async (name: LanguageName): Promise<void> => {
  chosen = name;
  const loaded = await loaders[name]();
  if (chosen === name) spoken.value = { name, words: loaded };
};

/** The present language's words: a part that reads them is drawn again when another one is chosen. */
export const words = (): Words => spoken.value.words;
