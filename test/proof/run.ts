// `npm run proof`: everything that speaks for the table of promises, then the table; writes docs/proof.md.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { currentCommit } from '../../bench/harness/machine.ts';
import { chaosPostgres } from '../chaos/chaos-postgres.ts';
import { proofsOf } from '../chaos/proofs-of.ts';
import { runScenario } from '../chaos/run-scenario.ts';
import { allScenarios } from '../chaos/scenarios/all-scenarios.ts';
import { startPostgres } from '../support/postgres/postgres-server.ts';
import type { Proof } from '../support/properties/prove.ts';
import { benchProofs } from './bench-proofs.ts';
import { type LongRun, linesOf, pageOf, shownBy } from './report.ts';
import { promiseRows } from './rows.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Faults that `npm test` has once, and that are wanted more often. */
const often: readonly (readonly [scenario: string, times: number])[] = [
  ['Postgres killed', 20],
  ['killed again and again', 1],
];
const PLAYERS = 200;

const proofs: Proof[] = [];
const failures = new Map<number, string[]>();
const fail = (row: number, name: string): void => void failures.set(row, [...(failures.get(row) ?? []), name]);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

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
 * All test files that speak for a promise, or try more here than in `npm test`. A test that fails has not said for which:
 * its file's others tell.
 */
const runTests = async (): Promise<void> => {
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
    /\b(prove|tries)\(/.test(readFileSync(path.join(root, file), 'utf8')),
  );
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-proof-'));
  const reportFile = path.join(folder, 'report.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...files];
  const code = await new Promise((resolve) => {
    const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
    const env = { ...process.env, KIBBLE_PROOF: '1' };
    spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env }).once('close', resolve);
  });
  const { testResults } = Report.parse(JSON.parse(readFileSync(reportFile, 'utf8')));
  rmSync(folder, { recursive: true, force: true });
  const isAnyBroken = testResults.some((file) => file.assertionResults.some(({ status }) => status === 'failed'));
  // A file that does not load, or an unhandled error: no test carries it, and it may concern any promise.
  if (code !== 0 && !isAnyBroken) for (const { row } of promiseRows) fail(row, 'vitest failed outside of any test');
  for (const { name, assertionResults } of testResults) {
    const own = assertionResults.flatMap(({ meta }) => meta.proofs ?? []);
    proofs.push(...own);
    const broken = assertionResults.filter(({ status }) => status === 'failed');
    const rows = new Set(own.length === 0 ? promiseRows.map(({ row }) => row) : own.map(({ row }) => row));
    for (const { fullName } of broken) {
      for (const row of rows) fail(row, `${fullName} (${path.relative(root, name)})`);
    }
  }
};

const runChaos = async (): Promise<void> => {
  const postgres = await startPostgres(chaosPostgres);
  try {
    for (const [name, times] of often) {
      const scenario = allScenarios.find((each) => each.name === name);
      if (!scenario) throw new Error(`there is no scenario ${name}`);
      for (let seed = 1; seed <= times; seed += 1) {
        const run = await runScenario(scenario, { postgres, seed, players: PLAYERS });
        say(`${name} (seed ${seed}): ${run.violations.length} violations in ${run.feedings} feedings`);
        if (run.violations.length === 0) proofs.push(...proofsOf(run, scenario));
        else
          for (const row of [...scenario.speaksFor.map(({ row }) => row), 11, 12, 16])
            fail(row, `${name}, seed ${seed}`);
      }
    }
  } finally {
    await postgres.stop();
  }
};

const startedAtMs = performance.now();
await runTests();
await runChaos();
proofs.push(...benchProofs(path.join(root, 'bench/results')));
const shown = shownBy(promiseRows, proofs, failures);
const longRuns: LongRun[] = JSON.parse(readFileSync(path.join(import.meta.dirname, 'long-runs.json'), 'utf8'));
const page = pageOf(shown, {
  commit: currentCommit(),
  day: new Date().toISOString().slice(0, 10),
  longRuns,
  machine: `${os.availableParallelism()} shared cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`,
  minutes: Math.round((performance.now() - startedAtMs) / 60_000),
});
writeFileSync(path.join(root, 'docs/proof.md'), page);
for (const line of linesOf(shown)) say(line);
process.exit(shown.every(({ isMet }) => isMet) ? 0 : 1);
