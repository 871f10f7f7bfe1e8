import { readFileSync } from 'node:fs';

/** The text of a script. The build puts all of them into its place, so that a bundle of the server has them. */
export const luaOf = (file: string): string => readFileSync(new URL(`./lua/${file}.lua`, import.meta.url), 'utf8');
