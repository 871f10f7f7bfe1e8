import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { buildPage } from '../../build/build-page.ts';

const root = path.resolve(import.meta.dirname, '../..');

it.each([
  // The SDK among them.
  ['client', 90_000],
  // 60 KiB: the charts among them, and the table of acts with the words of their commands. Chinese is loaded by those who read it.
  ['ops', 61_440],
] as const)('has the scripts of the page of %s/ in %i bytes with gzip', async (folder, most) => {
  expect(await buildPage(folder)).toBe(true);
  const dist = path.join(root, folder, 'dist');
  const scripts = globSync('**/*.js', { cwd: dist, exclude: ['**/zh-*.js'] }).map((file) =>
    readFileSync(path.join(dist, file)),
  );
  expect(scripts).not.toHaveLength(0);
  expect(scripts.reduce((sum, script) => sum + gzipSync(script).length, 0)).toBeLessThanOrEqual(most);
  // A script in the page itself would not run under its content policy.
  expect(readFileSync(path.join(dist, 'index.html'), 'utf8')).not.toMatch(/<script(?![^>]*src=)/);
});
