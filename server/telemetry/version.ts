import { readFileSync } from 'node:fs';

/** The package's version. The build inlines the number, so that a bundle of the server has it. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
