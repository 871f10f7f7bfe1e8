import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { buildPage } from '../../build/build-page.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Loaded with the page Rules alone. */
const LATER = 'rules-page-*.js';

const bytesOf = (dist: string, scripts: readonly string[]): number =>
  scripts.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(dist, file))).length, 0);

it.each([
  // The SDK among them.
  ['client', 90_000],
  // 60 KiB: the charts among them, and the table of acts with the words of their commands. Chinese is loaded only by
  // its readers.
  ['ops', 61_440],
] as const)('has the scripts of the page of %s/ in %i bytes with gzip', async (folder, most) => {
  expect(await buildPage(folder)).toBe(true);
  const dist = path.join(root, folder, 'dist');
  const scripts = globSync('**/*.js', { cwd: dist, exclude: ['**/zh-*.js', `**/${LATER}`] });
  expect(scripts).not.toHaveLength(0);
  expect(bytesOf(dist, scripts)).toBeLessThanOrEqual(most);
  // A script in the page itself would not run under its content policy.
  expect(readFileSync(path.join(dist, 'index.html'), 'utf8')).not.toMatch(/<script(?![^>]*src=)/);
});

it('has the page of the rules in 5,120 bytes with gzip, loaded by those who look at it', async () => {
  expect(await buildPage('ops')).toBe(true);
  const dist = path.join(root, 'ops/dist');
  const scripts = globSync(`**/${LATER}`, { cwd: dist });
  expect(scripts).toHaveLength(1);
  expect(bytesOf(dist, scripts)).toBeLessThanOrEqual(5_120);
  expect(readFileSync(path.join(dist, 'index.html'), 'utf8')).not.toContain('rules-page');
});
