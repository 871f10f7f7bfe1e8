import { readFileSync } from 'node:fs';

/** The text of a script. The build inlines all of them, so that a bundle of the server has them. */
export const luaOf = (file: string): string => readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), 'utf8');
