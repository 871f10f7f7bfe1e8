import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { Findings } from './recorded.ts';
import { filesOf, noteFile, patternOf, seedIn } from './run-tests.ts';
import { promiseRows } from './table/rows.ts';
import UnhandledReporter from './unhandled-reporter.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-run-tests-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (text: string): string => {
  const name = path.join(folder, 'some.test.ts');
  writeFileSync(name, text);
  return name;
};
const proof = { row: 7, tries: 3, of: 'calls done twice' };
const passed = { fullName: 'is done once', status: 'passed', meta: { proofs: [proof] } };
const failed = { fullName: 'is done at all', status: 'failed', meta: {} };
const skipped = { fullName: 'is done at all', status: 'skipped', meta: {} };

it('blames a failed test on each row that its file names, and on each where it names none', () => {
  const findings = new Findings();
  noteFile(findings, {
    name: fileOf('{ row: 7 }, { row: 12 }'),
    ...{ status: 'failed', message: '', assertionResults: [passed, failed] },
  });
  expect(findings.proofs).toEqual([proof]);
  expect([...findings.failures.keys()]).toEqual([7, 12]);
  const any = new Findings();
  noteFile(any, { name: fileOf('it()'), status: 'failed', message: '', assertionResults: [failed] });
  expect(any.failures.size).toBe(promiseRows.length);
});

it('blames a test that says for which rows it speaks on these alone', () => {
  const findings = new Findings();
  const assertionResults = [
    { ...failed, meta: { rows: [5] } },
    { ...passed, meta: { rows: [13] } },
  ];
  noteFile(findings, { name: fileOf('{ row: 7 }'), status: 'failed', message: '', assertionResults });
  expect([...findings.failures.keys()]).toEqual([5]);
});

it('counts no tries of a test that failed, and blames it on their rows', () => {
  const findings = new Findings();
  const tried = { ...failed, meta: { proofs: [proof] } };
  noteFile(findings, { name: fileOf(''), status: 'failed', message: '', assertionResults: [tried] });
  expect(findings.proofs).toEqual([]);
  expect([...findings.failures.keys()]).toEqual([7]);
});

it('blames a file that failed before its tests on its rows, whatever failed elsewhere', () => {
  const findings = new Findings();
  noteFile(findings, {
    name: fileOf('{ row: 7 }'),
    ...{ status: 'failed', message: 'no Redis\nat some place', assertionResults: [skipped] },
  });
  expect(findings.proofs).toEqual([]);
  const named = expect.stringMatching(/^outside of its tests, no Redis \(.*some\.test\.ts\)$/);
  expect([...findings.failures]).toEqual([[7, [named]]]);
});

it('runs for one row alone what names it, and what failed for it before', () => {
  const here = path.join('test', 'proof', 'run-tests.test.ts');
  const usual = filesOf({ row: 14, failedBefore: ['some scenario of chaos, seed 1'] });
  expect(usual.length).toBeGreaterThan(0);
  expect(usual).not.toContain(here);
  const more = filesOf({ row: 14, failedBefore: [`blames something (${here})`] });
  expect(more.toSorted()).toEqual([...usual, here].toSorted());
});

it('a test that failed by its random inputs is tried again with their seed', () => {
  expect(seedIn(['a pool (of 4)', 'of 100 pieces harms nobody (seed 697712013) (test/fuzz/bad-input.test.ts)'])).toBe(
    '697712013',
  );
  expect(seedIn(['a pool (of 4)'])).toBeUndefined();
});

it('a test that failed is found again by its name, in whatever blocks it is', () => {
  const again = new RegExp(`^(${patternOf({ title: 'a pool (of 4), when it is full, answers 1.5 s later' })})$`);
  expect('a pool (of 4), when it is full, > answers 1.5 s later').toMatch(again);
  expect('a pool (of 4), when it is full, answers 1.5 s later').toMatch(again);
  expect('a pool (of 4), when it is full, > answers 1x5 s later').not.toMatch(again);
});

it('an error that no test carries is kept, whatever was thrown', () => {
  const file = path.join(folder, 'errors.json');
  vi.stubEnv('UNHANDLED_ERRORS', file);
  new UnhandledReporter().onTestRunEnd([], [{ message: 'left alone\nat some place' }, { message: undefined }] as never);
  vi.unstubAllEnvs();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(['left alone', 'undefined']);
});
