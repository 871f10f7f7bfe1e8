import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { proofFault } from '../../build/proof-fault.ts';
import { sourceTree } from '../../build/source-tree.ts';

let clone: string;
beforeEach(() => {
  clone = mkdtempSync(path.join(os.tmpdir(), 'kibble-tree-'));
  git('init', '--quiet');
  for (const file of ['server/a.ts', 'shared/b.ts', 'client/c.ts', 'docs/d.md']) write(file, file);
  commit();
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

const git = (...args: readonly string[]): void => {
  const { status, stderr, error } = spawnSync('git', args, { cwd: clone, encoding: 'utf8' });
  if (status !== 0) throw new Error(error?.message ?? stderr);
};
const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
  writeFileSync(path.join(clone, file), text);
};
const commit = (): void => {
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--message', 'x');
};

it('names the sources alike while what is shipped is the same, and otherwise each time', () => {
  const tree = sourceTree(clone);
  expect(tree).toMatch(/^[0-9a-f]{10}$/);
  write('docs/d.md', 'a new report');
  expect(sourceTree(clone)).toBe(tree);
  commit();
  expect(sourceTree(clone)).toBe(tree);
  const names = ['server/a.ts', 'shared/b.ts', 'client/new.ts'].map((file) => {
    write(file, 'changed');
    expect(sourceTree(clone)).toBeUndefined();
    commit();
    return sourceTree(clone);
  });
  expect(new Set([tree, ...names]).size).toBe(4);
});

it('releases only sources that the report is of', () => {
  const page = 'Written at commit c0ffee, tree 0123456789 of `server`';
  expect(proofFault(page, '0123456789')).toBeUndefined();
  expect(proofFault(page, 'fedcba9876')).toMatch(/tree 0123456789.*fedcba9876: run npm run proof/);
  expect(proofFault('# Proof', '0123456789')).toContain('run npm run proof');
  expect(proofFault(page, undefined)).toContain('commit them first');
});

it('releases no sources of which the report says that a test failed, but what another machine has to show may be missing', () => {
  const start =
    'At commit c0ffee, tree 0123456789 of `server`.\n\nWhat had FAILED was tried again alone: is never wrong.\n';
  const pageWith = (...notShown: readonly string[]) =>
    `${start}\nNot shown:\n\n${notShown.join('\n')}\n\nZero violations: none FAILED.\n`;
  const few = '- 20, safe configuration: 0 of 1 audits of the packages.';
  expect(proofFault(start, '0123456789')).toBeUndefined();
  expect(proofFault(pageWith(few, '  A registry that fails shows nothing.'), '0123456789')).toBeUndefined();
  expect(proofFault(pageWith(few, '- 5, no lost timer:', '  FAILED: is on time; 1 of 2'), '0123456789')).toMatch(
    /says that tests failed:\n.*\n- 5, no lost timer:\n {2}FAILED: is on time/,
  );
});
