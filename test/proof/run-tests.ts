import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { endTogether } from '../support/machine/end-together.ts';
import type { Proof } from '../support/properties/prove.ts';
import type { Failed, Findings } from './recorded.ts';
import { promiseRows } from './table/rows.ts';

const root = path.resolve(import.meta.dirname, '../..');

const FileReport = z.object({
  name: z.string(),
  status: z.string(),
  message: z.string(),
  assertionResults: z.array(
    z.object({
      fullName: z.string(),
      status: z.string(),
      meta: z.object({
        proofs: z.array(z.custom<Proof>()).exactOptional(),
        rows: z.array(z.number()).exactOptional(),
      }),
    }),
  ),
});
const Report = z.object({ testResults: z.array(FileReport) });

/** One row alone. */
interface Alone {
  readonly row: number;
  /** Names of what failed in it before. */
  readonly failedBefore: readonly string[];
}

/** The test files of a run. */
export const filesOf = (alone: Alone | undefined): readonly string[] =>
  globSync('test/**/*.test.ts', { cwd: root }).filter((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    if (alone === undefined) return /\b(prove|tries|timed)\(|\/property-runs\.ts'/.test(text);
    const { row, failedBefore } = alone;
    // A file that names no row may have failed for this one.
    if (failedBefore.some((name) => name.endsWith(placeOf(file)))) return true;
    return /\bprove\(/.test(text) && new RegExp(`\\brow: ${row}\\b`).test(text);
  });

/** The end of the name of what failed in a file. */
const placeOf = (file: string): string => ` (${file})`;

/**
 * Runs, in full, all test files that speak for a promise or try more here than in `npm test`; with one row alone those
 * that name it beside a `prove(`, and those that failed for it before. Those that hold to times (`timed`) come last,
 * one after the other. A test that fails has not said for which promise: it concerns all that its file speaks for, and
 * a file that speaks for none may concern any. Returns the names of the tests that ran.
 */
export const runTests = (findings: Findings, alone: Alone | undefined): Promise<ReadonlySet<string>> => {
  useSeedOf(alone?.failedBefore ?? []);
  return runInTurn(findings, filesOf(alone), []);
};

/** Runs, in full, these tests alone. Returns those that ran: a test that was not found is as it was. */
export const runFailedTests = async (findings: Findings, failed: Failed['tests']): Promise<Failed['tests']> => {
  const files = [...new Set(failed.map(({ file }) => file))];
  useSeedOf(failed.map(({ name }) => name));
  const ran = await runInTurn(findings, files, [`--testNamePattern=^(${failed.map(patternOf).join('|')})$`]);
  return failed.filter(({ name }) => ran.has(name));
};

/** With another seed a test of random inputs has another name, and other inputs. */
const useSeedOf = (failed: readonly string[]): void => {
  const seed = seedIn(failed);
  if (seed !== undefined) process.env.FUZZ_SEED = seed;
};

/** The seed of the inputs that failed, from the names of tests. */
export const seedIn = (failed: readonly string[]): string | undefined =>
  failed.map((name) => /\(seed (\d+)\)/.exec(name)?.[1]).find((seed) => seed !== undefined);

/** The report joins the names of blocks by a space, the pattern is for names joined by ` > `. */
export const patternOf = ({ title }: Pick<Failed['tests'][number], 'title'>): string =>
  title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '(?: > | )');

/** Returns the names of the tests that ran. */
const runInTurn = async (
  findings: Findings,
  files: readonly string[],
  more: readonly string[],
): Promise<ReadonlySet<string>> => {
  const isTimed = (file: string): boolean => /\btimed\(/.test(readFileSync(path.join(root, file), 'utf8'));
  const together = await runFiles(
    findings,
    files.filter((file) => !isTimed(file)),
    more,
  );
  const timed = await runFiles(findings, files.filter(isTimed), ['--maxWorkers=1', ...more]);
  return new Set([...together, ...timed]);
};

const runFiles = async (
  findings: Findings,
  files: readonly string[],
  more: readonly string[],
): Promise<readonly string[]> => {
  if (files.length === 0) return [];
  const { code, testResults, unhandled } = await runVitest(files, more);
  // No test and no file carries such an error, and it may concern any promise.
  for (const error of unhandled) findings.fail(allRows, `vitest saw an unhandled error, ${error}`);
  if (code !== 0 && unhandled.length === 0 && !testResults.some(({ status }) => status === 'failed'))
    findings.fail(allRows, 'vitest failed outside of any test');
  for (const file of testResults) noteFile(findings, file);
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName }) => fullName + placeOf(path.relative(root, name))),
  );
};

const allRows = promiseRows.map((each) => each.row);

/** What a file has tried, and what has failed in it. */
export const noteFile = (
  findings: Findings,
  { name, status: whole, message, assertionResults }: z.infer<typeof FileReport>,
): void => {
  const proofsOf = (results: typeof assertionResults) => results.flatMap(({ meta }) => meta.proofs ?? []);
  const own = proofsOf(assertionResults);
  // A test that failed has shown nothing; tried again, it speaks then.
  findings.proofs.push(...proofsOf(assertionResults.filter(({ status }) => status === 'passed')));
  const broken = assertionResults.filter(({ status }) => status === 'failed');
  const spokenFor = [...readFileSync(name, 'utf8').matchAll(/\brow: (\d+)\b/g)].map(([, row]) => Number(row));
  const ofTests = assertionResults.flatMap(({ meta }) => meta.rows ?? []);
  const named = [...spokenFor, ...ofTests, ...own.map((proof) => proof.row)];
  const rows = new Set(named.length === 0 ? allRows : named);
  // It did not load, or what it does before its tests failed: then they were skipped, and none carries the error.
  const [why] = message.split('\n');
  const outside = whole === 'failed' && broken.length === 0 ? [`outside of its tests, ${why}`] : [];
  const place = placeOf(path.relative(root, name));
  for (const { fullName, meta } of broken) findings.fail(meta.rows ?? rows, fullName + place);
  for (const what of outside) findings.fail(rows, what + place);
};

const runVitest = async (
  files: readonly string[],
  more: readonly string[],
): Promise<{ code: number | null; unhandled: readonly string[] } & z.infer<typeof Report>> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-proof-'));
  const [reportFile, errorsFile] = [path.join(folder, 'report.json'), path.join(folder, 'errors.json')];
  const reporters = ['default', 'json', './test/proof/unhandled-reporter.ts'].map((name) => `--reporter=${name}`);
  const args = ['run', ...reporters, `--outputFile.json=${reportFile}`, ...more, ...files];
  const code = await new Promise<number | null>((resolve) => {
    const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
    const env = { ...process.env, KIBBLE_PROOF: '1', UNHANDLED_ERRORS: errorsFile };
    const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env });
    endTogether(child);
    child.once('close', resolve);
  });
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  const report = Report.parse(read(reportFile));
  const unhandled = existsSync(errorsFile) ? z.array(z.string()).parse(read(errorsFile)) : ['its list was not written'];
  rmSync(folder, { recursive: true, force: true });
  return { code, unhandled, ...report };
};
