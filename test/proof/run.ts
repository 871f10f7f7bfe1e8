// `npm run proof [-- --row n]`: everything that speaks for the table of promises, then the table.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { currentCommit } from '../../bench/harness/machine.ts';
import { readArguments } from '../../build/read-arguments.ts';
import { sourceTree } from '../../build/source-tree.ts';
import { Findings } from './findings.ts';
import { readLongRuns, recordedProofs } from './long-runs.ts';
import { mutationProofs } from './mutated-areas.ts';
import { linesOf, pageOf, shownBy } from './report.ts';
import { runBenches } from './run-benches.ts';
import { runChaos } from './run-chaos.ts';
import { runTests } from './run-tests.ts';
import { promiseRows, rowOf } from './table/rows.ts';

const root = path.resolve(import.meta.dirname, '../..');
const usage = `npm run proof            tries everything that speaks for a promise, and writes docs/proof.md
npm run proof -- --row n   only what speaks for row n (1 to ${promiseRows.length}), and writes nothing: the files that say
                           prove(… row: n …), the scenarios of chaos and the benches of that row
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** Undefined: all of them. */
const row = readArguments({ usage, options: { row: { type: 'string' } } }, ({ values }) =>
  values.row === undefined ? undefined : rowOf(Number(values.row)).row,
);
const tree = sourceTree(root);
if (row === undefined && tree === undefined) {
  process.stderr.write(
    'server, shared or client are changed beside the commit: a report would be of no tree. Commit them first.\n',
  );
  process.exit(2);
}
const startedAtMs = performance.now();
const longRuns = readLongRuns();
const findings = new Findings();
await runTests(findings, row);
await runChaos(findings, row);
await runBenches(findings, row);
findings.proofs.push(...recordedProofs(longRuns, tree), ...mutationProofs());
const rows = row === undefined ? promiseRows : [rowOf(row)];
const shown = shownBy(rows, findings.proofs, findings.failures);
if (row === undefined && tree !== undefined) {
  const page = pageOf(shown, {
    commit: currentCommit(),
    tree,
    day: new Date().toISOString().slice(0, 10),
    longRuns,
    machine: `${os.availableParallelism()} shared cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`,
    minutes: Math.round((performance.now() - startedAtMs) / 60_000),
  });
  writeFileSync(path.join(root, 'docs/proof.md'), page);
}
for (const line of linesOf(shown)) say(line);
if (row !== undefined) for (const line of shown.flatMap(({ seen }) => seen)) say(`  ${line}`);
process.exit(shown.every(({ isMet }) => isMet) ? 0 : 1);
