import { readFileSync } from 'node:fs';

/** Of the package. The build puts the number itself into its place, so that a bundle of the server has it. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
