import { signal } from '@preact/signals';
import { en } from './en.ts';
import { zh } from './zh.ts';

/** Everything that the page says. A language that lacks anything of it does not compile. */
export type Words = typeof en;

export const languages = { en, zh } as const satisfies Readonly<Record<string, Words>>;
export type LanguageName = keyof typeof languages;

export const isLanguage = (name: string): name is LanguageName => Object.hasOwn(languages, name);

export const language = signal<LanguageName>('en');

/** In the language of now: what was drawn with it is drawn again when another one is chosen. */
export const words = (): Words => languages[language.value];
