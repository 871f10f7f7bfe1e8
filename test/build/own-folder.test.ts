import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ownFolder } from '../../build/own-folder.ts';

const root = path.join(import.meta.dirname, '../..');

it('a build may make a folder, fill an empty one, and replace an earlier package', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-own-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const manifest = path.join(folder, 'package.json');
  expect(ownFolder(path.join(folder, 'new'))).toBe(path.join(folder, 'new'));
  expect(ownFolder(folder)).toBe(folder);
  writeFileSync(manifest, JSON.stringify({ name: 'colyseus-kibble', files: ['**'] }));
  expect(ownFolder(folder)).toBe(folder);
  for (const other of ['{', '{"name":"a-game"}', '{"name":"colyseus-kibble","scripts":{"build":"x"}}']) {
    writeFileSync(manifest, other);
    expect(() => ownFolder(folder)).toThrow('has other files: name a new folder');
  }
});

it.each(['.', '..', 'server', '/'])(
  'a build deletes neither a checkout, nor what is around or in one: %s',
  (folder) => {
    expect(() => ownFolder(path.resolve(root, folder))).toThrow('has other files');
  },
);
