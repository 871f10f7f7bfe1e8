// `npm run proof [-- --row n | --failed | --page]`: everything that speaks for the table of promises, then the table.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { currentCommit } from '../../bench/harness/machine.ts';
import { readArguments } from '../../build/read-arguments.ts';
import { sourceTree } from '../../build/source-tree.ts';
import { mutationProofs } from './mutated-areas.ts';
import {
  Findings,
  failedIn,
  failedOf,
  keepLastRun,
  type LastRun,
  readLastRun,
  readLongRuns,
  recordedProofs,
  withFailedAgain,
  withRowAgain,
} from './recorded.ts';
import { linesOf, pageOf, type Shown, shownBy } from './report.ts';
import { runBenches } from './run-benches.ts';
import { runChaos, runFailedChaos } from './run-chaos.ts';
import { runFailedTests, runTests } from './run-tests.ts';
import { checkDeclared, promiseRows, rowOf } from './table/rows.ts';

const root = path.resolve(import.meta.dirname, '../..');
const usage = `npm run proof            tries everything that speaks for a promise, and writes docs/record/proof.md
npm run proof -- --row n   only what speaks for row n (1 to ${promiseRows.length}): the files that say prove(… row: n …), those
                           that failed for it in the last run, the scenarios of chaos and the benches of that row.
                           Where the last run was of the same sources, what is found takes its place in
                           docs/record/proof.md
npm run proof -- --failed  only the tests and scenarios that failed in the last run, if that was of the same sources;
                           what they find is added to docs/record/proof.md
npm run proof -- --page    tries nothing, and writes docs/record/proof.md of the last run again: with the long runs of
                           the same tree, and the mutants, that were recorded since
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** No row: all of them. */
const flag = { type: 'boolean', default: false } as const;
const { row, isPageOnly, isFailedOnly } = readArguments(
  { usage, options: { row: { type: 'string' }, failed: flag, page: flag } },
  ({ values: { row: asked, failed, page } }) => {
    if ([asked !== undefined, failed, page].filter(Boolean).length > 1)
      throw new Error('one of --row, --failed and --page');
    return { row: asked === undefined ? undefined : rowOf(Number(asked)).row, isPageOnly: page, isFailedOnly: failed };
  },
);

/** The findings, and the names of the tests that ran. */
const findingsOf = async (
  asked: number | undefined,
): Promise<{ readonly findings: Findings; readonly ran: ReadonlySet<string> }> => {
  const findings = new Findings();
  const alone = asked === undefined ? undefined : { row: asked, failedBefore: failedOf(readLastRun(), asked) };
  const ran = await runTests(findings, alone);
  await runChaos(findings, asked);
  await runBenches(findings, asked);
  return { findings, ran };
};

/** Says the table; false when a promise is not shown. */
const tell = (shown: readonly Shown[]): boolean => {
  for (const line of linesOf(shown)) say(line);
  return shown.every(({ isMet }) => isMet);
};

const today = (): string => new Date().toISOString().slice(0, 10);

/** The later half of the tries was of other sources than the first. */
const endIfChanged = (tree: string | undefined): void => {
  if (sourceTree(root) === tree) return;
  process.stderr.write('server, shared or client were changed meanwhile: a report would be of no tree.\n');
  process.exit(2);
};

const runRow = async (asked: number): Promise<boolean> => {
  const tree = sourceTree(root);
  const { findings, ran } = await findingsOf(asked);
  endIfChanged(tree);
  const last = readLastRun();
  if (tree === last.tree) {
    keepLastRun(withRowAgain(last, { row: asked, commit: currentCommit(), day: today(), findings, ran }));
    writePage(readLastRun());
  }
  const recorded = [...recordedProofs(readLongRuns(), tree), ...mutationProofs('HEAD')];
  const shown = shownBy([rowOf(asked)], [...findings.proofs, ...recorded], findings.failures);
  const isShown = tell(shown);
  for (const line of shown.flatMap(({ seen }) => seen)) say(`  ${line}`);
  return isShown;
};

/** The last run, with the findings of what failed in it. */
const runFailedAgain = async (): Promise<LastRun> => {
  const last = readLastRun();
  if (sourceTree(root) !== last.tree) {
    process.stderr.write(`the last run was of other sources, tree ${last.tree}: npm run proof\n`);
    process.exit(2);
  }
  const failed = failedIn(last);
  const findings = new Findings();
  const tests = await runFailedTests(findings, failed.tests);
  const scenarios = await runFailedChaos(findings, failed.scenarios);
  endIfChanged(last.tree);
  return withFailedAgain(last, { failed: { tests, scenarios }, commit: currentCommit(), day: today(), findings });
};

const runAll = async (): Promise<LastRun> => {
  const tree = sourceTree(root);
  if (tree === undefined) {
    process.stderr.write(
      'server, shared or client are changed beside the commit: a report would be of no tree. Commit them first.\n',
    );
    process.exit(2);
  }
  const startedAtMs = performance.now();
  const commit = currentCommit();
  const { proofs, failures } = (await findingsOf(undefined)).findings;
  endIfChanged(tree);
  return {
    commit,
    tree,
    day: today(),
    machine: `${os.availableParallelism()} shared cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`,
    minutes: Math.round((performance.now() - startedAtMs) / 60_000),
    proofs,
    failures: [...failures],
    again: [],
  };
};

const writePage = (run: LastRun): readonly Shown[] => {
  const longRuns = readLongRuns();
  const proofs = [...run.proofs, ...recordedProofs(longRuns, run.tree), ...mutationProofs(run.commit)];
  const shown = shownBy(promiseRows, proofs, new Map(run.failures));
  writeFileSync(path.join(root, 'docs/record/proof.md'), pageOf(shown, { ...run, longRuns }));
  return shown;
};

const runEach = async (): Promise<boolean> => {
  if (!isPageOnly) keepLastRun(isFailedOnly ? await runFailedAgain() : await runAll());
  const last = readLastRun();
  try {
    for (const proof of last.proofs) checkDeclared(proof);
  } catch (error) {
    process.stderr.write(`the last run was of another table (${String(error)}): npm run proof\n`);
    return false;
  }
  return tell(writePage(last));
};

const isShown = await (row === undefined ? runEach() : runRow(row));
process.exit(isShown ? 0 : 1);
