// Row 20 of the promises, as far as it is about what others wrote.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { lockGaps, withoutGaps } from '../support/package-lock/lock-gaps.ts';

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

describe.each(['package-lock.json', 'bench/peers/package-lock.json', 'bench/plots/package-lock.json'])('%s', (file) => {
  const lock = readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');

  it('has an entry for every platform package, or npm ci would refuse it (cure: npm run lock)', () => {
    expect(lockGaps(lock)).toEqual([]);
  });

  it('names no registry', () => {
    expect(lock).not.toContain('"resolved"');
  });
});

it('fills a gap with the platform that the package is for', () => {
  const gappy = JSON.stringify({
    packages: {
      'node_modules/tool': {
        version: '2.0.0',
        dev: true,
        optionalDependencies: { '@tool/cli-linux-x64-musl': '2.0.0' },
      },
    },
  });

  expect(lockGaps(gappy)).toHaveLength(1);
  expect(JSON.parse(withoutGaps(gappy)).packages['node_modules/@tool/cli-linux-x64-musl']).toEqual({
    version: '2.0.0',
    cpu: ['x64'],
    libc: ['musl'],
    os: ['linux'],
    dev: true,
    optional: true,
  });
});
