import path from 'node:path';
import { expect, it } from 'vitest';
import type { TestCase, TestModule } from 'vitest/node';
import CountingReporter from '../support/counting-reporter.ts';

const reporter = () => {
  const lines: string[] = [];
  return { lines, counting: new CountingReporter({ write: (text) => lines.push(text.trimEnd()), isForReader: false }) };
};
const module = (name: string): TestModule =>
  ({ id: name, moduleId: path.join(import.meta.dirname, name), errors: () => [] }) as unknown as TestModule;
const test = (fullName: string, result: object): TestCase =>
  ({ id: fullName, fullName, module: module('one.test.ts'), result: () => result }) as unknown as TestCase;

it('counts the files that are done, of all', () => {
  const { lines, counting } = reporter();
  counting.onTestRunStart([{}, {}] as never);
  counting.onTestModuleEnd(module('one.test.ts'));
  counting.onTestModuleEnd(module('two.test.ts'));
  expect(lines).toEqual(['0 of 2 files, 0 tests failed', '2 of 2 files, 0 tests failed']);
});

it('shows what a test said only when it fails', () => {
  const { lines, counting } = reporter();
  for (const name of ['good', 'bad']) counting.onUserConsoleLog({ taskId: name, content: `of ${name}\n` });
  counting.onTestCaseResult(test('good', { state: 'passed' }));
  counting.onTestCaseResult(test('bad', { state: 'failed', errors: [{ message: 'is not 2', diff: '- 1' }] }));
  expect(lines).toEqual(['✗ test/build/one.test.ts > bad\nis not 2\n- 1\nof bad']);
});

it('says at the end why tests were skipped', () => {
  const { lines, counting } = reporter();
  counting.onTestCaseResult(test('audit', { state: 'skipped', note: 'the registry did not answer' }));
  counting.onTestCaseResult(test('redis', { state: 'skipped' }));
  counting.onTestRunEnd([], []);
  expect(lines).toEqual([
    'skipped: test/build/one.test.ts > audit: the registry did not answer',
    'skipped: test/build/one.test.ts > redis: what it needs is not here',
  ]);
});
