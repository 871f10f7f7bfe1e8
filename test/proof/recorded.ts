import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Proof } from '../support/properties/prove.ts';
import { rowOf } from './table/rows.ts';

/** The tries of the promises, and their failures. */
export class Findings {
  readonly proofs: Proof[] = [];
  /** Names, by row. */
  readonly failures = new Map<number, string[]>();

  fail(rows: Iterable<number>, name: string): void {
    for (const row of rows) this.failures.set(row, [...(this.failures.get(row) ?? []), name]);
  }
}

const placeOf = (name: string): string => path.join(import.meta.dirname, '../../docs/record', name);
const read = (name: string): unknown => JSON.parse(readFileSync(placeOf(name), 'utf8'));

const RecordedProof = z.object({
  row: z.number(),
  tries: z.number(),
  of: z.string(),
  seen: z.string().exactOptional(),
});

/** The last result of `npm run proof`, for its page. */
const LastRun = z.object({
  commit: z.string(),
  /** Of `server`, `shared` and `client` (`build/source-tree.ts`). */
  tree: z.string(),
  day: z.string(),
  machine: z.string(),
  minutes: z.number(),
  proofs: z.array(RecordedProof),
  /** Names of what failed, by row. */
  failures: z.array(z.tuple([z.number(), z.array(z.string())])),
  /**
   * Tries of one row alone, with the sources as they were, and what had failed before; the last has taken the place of the
   * first. Without a row: of the tests alone that had failed.
   */
  again: z.array(
    z.object({
      row: z.number().exactOptional(),
      commit: z.string(),
      day: z.string(),
      failedBefore: z.array(z.string()),
    }),
  ),
});
export type LastRun = z.infer<typeof LastRun>;

export const readLastRun = (): LastRun => LastRun.parse(read('last-proof.json'));

export const keepLastRun = (run: LastRun): void =>
  writeFileSync(placeOf('last-proof.json'), `${JSON.stringify(run, null, 2)}\n`);

/** Names of what failed for a row. */
export const failedOf = ({ failures }: Pick<LastRun, 'failures'>, row: number): readonly string[] =>
  failures.filter(([failing]) => failing === row).flatMap(([, names]) => names);

interface Again {
  readonly commit: string;
  readonly day: string;
  readonly findings: Findings;
}

/** With what a row found that was tried again, alone. `ran`: names of tests; a failed one that did not run stays. */
export const withRowAgain = (
  run: LastRun,
  { row, commit, day, findings, ran }: Again & { readonly row: number; readonly ran: ReadonlySet<string> },
): LastRun => {
  const failedTests = failedIn({ failures: [[row, [...failedOf(run, row)]]] }).tests.map(({ name }) => name);
  const isTried = (name: string): boolean => ran.has(name) || !failedTests.includes(name);
  const failedBefore = failedOf(run, row).filter(isTried);
  // What fails now concerns the other rows that it speaks for, too.
  const left = new Findings();
  for (const [failing, names] of run.failures)
    for (const name of names) if (failing !== row || !isTried(name)) left.fail([failing], name);
  for (const [failing, names] of findings.failures) {
    for (const name of names) if (!left.failures.get(failing)?.includes(name)) left.fail([failing], name);
  }
  return {
    ...run,
    proofs: [
      ...run.proofs.filter((proof) => proof.row !== row),
      ...findings.proofs.filter((proof) => proof.row === row),
    ],
    failures: [...left.failures],
    again: [...run.again, { row, commit, day, failedBefore }],
  };
};

/** With the findings of what had failed and was tried again, alone: until then it had said nothing of any row. */
export const withFailedAgain = (
  run: LastRun,
  { failed, commit, day, findings }: Again & { readonly failed: Failed },
): LastRun => {
  const names = [...failed.tests, ...failed.scenarios].map(({ name }) => name);
  const left = new Findings();
  for (const [row, before] of run.failures) {
    for (const name of before) if (!names.includes(name)) left.fail([row], name);
  }
  for (const [row, now] of findings.failures) for (const name of now) left.fail([row], name);
  return {
    ...run,
    proofs: [...run.proofs, ...findings.proofs],
    failures: [...left.failures],
    again: [...run.again, { commit, day, failedBefore: names }],
  };
};

/** What failed in a run and can be tried alone; `name` as it is recorded. */
export interface Failed {
  readonly tests: readonly { readonly name: string; readonly title: string; readonly file: string }[];
  /** Of chaos. */
  readonly scenarios: readonly { readonly name: string; readonly scenario: string; readonly seed: number }[];
}

export const failedIn = ({ failures }: Pick<LastRun, 'failures'>): Failed => {
  const names = [...new Set(failures.flatMap(([, some]) => some))];
  const tests = names.flatMap((name) => {
    const [, title = '', file = ''] = /^(?!outside of its tests,)(.+) \((test\/\S+\.test\.ts)\)$/.exec(name) ?? [];
    return file === '' ? [] : [{ name, title, file }];
  });
  const scenarios = names.flatMap((name) => {
    const [, scenario = '', seed = ''] = /^(.+?), seed (\d+), (?:\d+ violations|broken off), /.exec(name) ?? [];
    return seed === '' ? [] : [{ name, scenario, seed: Number(seed) }];
  });
  return { tests, scenarios };
};

/** A run by hand that takes too long for every change. */
const LongRun = z.object({
  what: z.string(),
  command: z.string(),
  minutes: z.number(),
  commit: z.string(),
  /** Of `server`, `shared` and `client` (`build/source-tree.ts`). */
  tree: z.string(),
  /** For which promise it speaks, what it tried of it, and how often. */
  row: z.number(),
  of: z.string(),
  count: z.number(),
  /** Everything that was tried, in words. */
  tries: z.string(),
  violations: z.number(),
  /** Its finding, and the consequence. */
  found: z.string(),
  /** Of `docs/images`. */
  picture: z.string().exactOptional(),
});
export type LongRun = z.infer<typeof LongRun>;

export const readLongRuns = (): readonly LongRun[] => z.array(LongRun).parse(read('long-runs.json'));

/** The results of recorded runs of the same tree, for rows that accept them; none of what one of them saw broken. */
export const recordedProofs = (longRuns: readonly LongRun[], tree: string | undefined): Proof[] => {
  const ofTree = longRuns.filter((run) => run.tree === tree);
  const isSeenBroken = ({ row, of }: LongRun): boolean =>
    ofTree.some((run) => run.row === row && run.of === of && run.violations > 0);
  // Recorded twice it counts once.
  const byCommand = new Map(ofTree.map((run) => [`${run.row} ${run.of} ${run.command}`, run]));
  return [...byCommand.values()]
    .filter((run) => !isSeenBroken(run))
    .filter(({ row, of }) => rowOf(row).wants.some((want) => want.isRecorded === true && want.of === of))
    .map(({ row, of, count, command }) => ({ row, of, tries: count, seen: `recorded: ${command}` }));
};
