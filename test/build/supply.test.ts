// Row 20 of the promises, as far as it is about what others wrote.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

it('`npm run sbom` lists every package of the lock, and tells those that only develop from those that run', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { cwd: root, maxBuffer: 2 ** 26 });
  const { components } = JSON.parse(stdout) as {
    components: readonly { name: string; version: string; properties: readonly { name: string }[] }[];
  };
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean }>;
  };

  const line = (name: string, version: string, isDev: boolean): string => `${name} ${version}${isDev ? ' (dev)' : ''}`;
  const listed = components.map(({ name, version, properties }) =>
    line(
      name,
      version,
      properties.some((property) => property.name === 'cdx:npm:package:development'),
    ),
  );
  const locked = Object.entries(packages)
    .filter(([place]) => place !== '')
    .map(([place, { version, dev = false }]) => line(place.replace(/^.*node_modules\//, ''), version, dev));

  expect(locked.length).toBeGreaterThan(100);
  expect(locked.filter((each) => !listed.includes(each))).toEqual([]);
});

it('no package that runs in production has a known hole of weight', { timeout: 90_000 }, async ({ skip }) => {
  const { stdout } = await promisify(execFile)('npm', ['audit', '--omit=dev', '--json', '--fetch-retries=0'], {
    cwd: root,
    timeout: 20_000,
  }).catch((error: unknown) => ({ stdout: String((error as { stdout?: unknown }).stdout ?? '') }));
  const { metadata } = (stdout.startsWith('{') ? JSON.parse(stdout) : {}) as {
    metadata?: { vulnerabilities: Record<string, number> };
  };
  if (!metadata) return skip('the registry did not answer `npm audit`: nothing was checked');

  console.info(`npm audit: ${JSON.stringify(metadata.vulnerabilities)}`);
  expect({ high: metadata.vulnerabilities.high, critical: metadata.vulnerabilities.critical }).toEqual({
    high: 0,
    critical: 0,
  });
});
