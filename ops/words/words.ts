import { en } from './en.ts';

/** Everything that the page says. Another language is a file like `en.ts`, and does not compile while it lacks anything. */
export type Words = typeof en;
export const words: Words = en;
