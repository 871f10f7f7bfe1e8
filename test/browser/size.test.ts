import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { buildPage } from '../../server/build-page.ts';

const dist = path.resolve(import.meta.dirname, '../../client/dist');

it('has all scripts of the page, the SDK among them, in 90 kB with gzip', async () => {
  expect(await buildPage('client')).toBe(true);
  const scripts = globSync('**/*.js', { cwd: dist }).map((file) => readFileSync(path.join(dist, file)));
  expect(scripts).not.toHaveLength(0);
  expect(scripts.reduce((sum, script) => sum + gzipSync(script).length, 0)).toBeLessThanOrEqual(90_000);
  // A script in the page itself would not run under its content policy.
  expect(readFileSync(path.join(dist, 'index.html'), 'utf8')).not.toMatch(/<script(?![^>]*src=)/);
});
