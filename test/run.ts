// `npm test`: the checks and all tests. `npm test -- home` runs only the test files with "home" in their path.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { styleText } from 'node:util';
import { z } from 'zod';
import { endTogether } from './support/machine/end-together.ts';

interface Step {
  readonly name: string;
  /** A script below node_modules; run with this Node, not with the one of the machine. */
  readonly program: string;
  readonly args: readonly string[];
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const root = path.dirname(import.meta.dirname);
const filters = process.argv.slice(2);

/** The caches of the compilers and knip for unchanged files: a second run takes a fifth of the first. */
const known = path.join(root, 'node_modules/.cache/kibble/checked');

const compile = (...project: readonly string[]): Step => {
  const facts = path.join(known, `${project.at(-1) ?? 'root'}.tsbuildinfo`);
  const args = ['--noEmit', ...project];
  return {
    name: ['tsc', ...args].join(' '),
    program: '@typescript/native/bin/tsc',
    args: [...args, '--pretty', 'false', '--incremental', '--tsBuildInfoFile', facts],
  };
};

const checks: readonly Step[] = [
  { name: 'biome check', program: '@biomejs/biome/bin/biome', args: ['check', '--no-errors-on-unmatched'] },
  compile(),
  compile('-p', 'client'),
  {
    name: 'knip',
    program: 'knip/bin/knip.js',
    args: ['--no-progress', '--cache', '--cache-location', path.join(known, 'knip')],
  },
];

const main = async (): Promise<void> => {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  // Not beside the tests: those that come first judge how late things are.
  const reports = await runChecks(counts);
  await runTests(counts);
  for (const report of reports) say(report);
  say(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
};

/** All at once; what they said is for the end, where the tests' own lines do not bury it. */
const runChecks = async (counts: Counts): Promise<string[]> => {
  const reports = await Promise.all(
    checks.map(async (check) => {
      const startedAtMs = performance.now();
      const { code, output } = await run(check, 'pipe');
      const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
      const isPassed = code === 0;
      counts[isPassed ? 'passed' : 'failed'] += 1;
      const said = `${isPassed ? styleText('green', '✓') : styleText('red', '✗')} ${check.name} (${seconds} s)`;
      return isPassed ? [said] : [said, output.trim()];
    }),
  );
  return reports.flat();
};

const runTests = async (counts: Counts): Promise<void> => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kibble-run-'));
  const reportFile = path.join(dir, 'report.json');
  const counting = path.join(root, 'test/support/counting-reporter.ts');
  const args = ['run', `--reporter=${counting}`, '--reporter=json', `--outputFile.json=${reportFile}`, ...filters];
  const { code } = await run({ name: 'vitest', program: 'vitest/vitest.mjs', args }, 'inherit');
  const report = readReport(reportFile);
  rmSync(dir, { recursive: true, force: true });
  saySlowest(report);
  counts.passed += report.numPassedTests;
  counts.failed += report.numFailedTests;
  counts.skipped += report.numPendingTests + report.numTodoTests;
  const isEmpty = report.numPassedTests + report.numFailedTests === 0;
  // A file that does not load, an unhandled error or no test at all counts as one failure: no test carries it.
  if (report.numFailedTests === 0 && (code !== 0 || isEmpty)) {
    counts.failed += 1;
    say(isEmpty ? 'No test ran.' : 'Vitest failed outside of any test: see above.');
  }
};

/** What the next minute of waiting is to be taken from. */
const SHOWN = 10;

const saySlowest = ({ testResults }: z.infer<typeof Report>): void => {
  if (testResults.length <= SHOWN) return;
  const slowest = testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((left, right) => right.seconds - left.seconds)
    .slice(0, SHOWN);
  say('The slowest files:');
  for (const { name, seconds } of slowest) say(`${seconds.toFixed(1).padStart(7)} s ${path.relative(root, name)}`);
};

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(z.object({ name: z.string(), startTime: z.number(), endTime: z.number() })),
});

/** All zero when vitest ended before it could write one. */
const readReport = (file: string): z.infer<typeof Report> => {
  try {
    return Report.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  }
};

const run = (step: Step, output: 'pipe' | 'inherit'): Promise<{ code: number; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, 'node_modules', step.program), ...step.args], {
      cwd: root,
      stdio: ['ignore', output, output],
    });
    endTogether(child);
    let text = '';
    const keep = (chunk: Buffer): void => {
      text += chunk.toString();
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: text }));
  });

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

await main();
