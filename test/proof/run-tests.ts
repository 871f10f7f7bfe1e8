import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { endTogether } from '../support/machine/end-together.ts';
import type { Proof } from '../support/properties/prove.ts';
import type { Findings } from './recorded.ts';
import { promiseRows } from './table/rows.ts';

const root = path.resolve(import.meta.dirname, '../..');

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          meta: z.object({ proofs: z.array(z.custom<Proof>()).exactOptional() }),
        }),
      ),
    }),
  ),
});

/**
 * Runs, in full, all test files that speak for a promise or try more here than in `npm test`; with `row` those that name this
 * row beside a `prove(`. Those that hold to times (`timed`) come last, one after the other. A test that fails has not said
 * for which promise: it concerns all that its file speaks for, and a file that speaks for none may concern any.
 */
export const runTests = async (findings: Findings, row: number | undefined): Promise<void> => {
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return row === undefined
      ? /\b(prove|tries)\(|\/property-runs\.ts'/.test(text)
      : /\bprove\(/.test(text) && new RegExp(`\\brow: ${row}\\b`).test(text);
  });
  const isTimed = (file: string): boolean => /\btimed\(/.test(readFileSync(path.join(root, file), 'utf8'));
  const together = files.filter((file) => !isTimed(file));
  await runFiles(findings, together, []);
  await runFiles(findings, files.filter(isTimed), ['--maxWorkers=1']);
};

const runFiles = async (findings: Findings, files: readonly string[], more: readonly string[]): Promise<void> => {
  if (files.length === 0) return;
  const { code, testResults } = await runVitest(files, more);
  const all = promiseRows.map((each) => each.row);
  const isAnyBroken = testResults.some((file) => file.assertionResults.some(({ status }) => status === 'failed'));
  // A file that does not load, or an unhandled error: no test carries it, and it may concern any promise.
  if (code !== 0 && !isAnyBroken) findings.fail(all, 'vitest failed outside of any test');
  for (const { name, assertionResults } of testResults) {
    const own = assertionResults.flatMap(({ meta }) => meta.proofs ?? []);
    findings.proofs.push(...own);
    const broken = assertionResults.filter(({ status }) => status === 'failed');
    const spokenFor = [...readFileSync(name, 'utf8').matchAll(/\brow: (\d+)\b/g)].map(([, row]) => Number(row));
    const named = [...spokenFor, ...own.map((proof) => proof.row)];
    const rows = new Set(named.length === 0 ? all : named);
    for (const { fullName } of broken) findings.fail(rows, `${fullName} (${path.relative(root, name)})`);
  }
};

const runVitest = async (
  files: readonly string[],
  more: readonly string[],
): Promise<{ code: number | null } & z.infer<typeof Report>> => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-proof-'));
  const reportFile = path.join(folder, 'report.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...more, ...files];
  const code = await new Promise<number | null>((resolve) => {
    const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
    const env = { ...process.env, KIBBLE_PROOF: '1' };
    const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env });
    endTogether(child);
    child.once('close', resolve);
  });
  const report = Report.parse(JSON.parse(readFileSync(reportFile, 'utf8')));
  rmSync(folder, { recursive: true, force: true });
  return { code, ...report };
};
