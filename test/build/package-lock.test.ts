import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockGaps, withoutGaps } from '../support/package-lock/lock-gaps.ts';

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
