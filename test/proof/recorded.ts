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

/** With what a row found that was tried again, alone. */
export const withRowAgain = (
  run: LastRun,
  { row, commit, day, findings }: Again & { readonly row: number },
): LastRun => {
  const failed = findings.failures.get(row);
  const failedBefore = [...failedOf(run, row)];
  return {
    ...run,
    proofs: [
      ...run.proofs.filter((proof) => proof.row !== row),
      ...findings.proofs.filter((proof) => proof.row === row),
    ],
    failures: [
      ...run.failures.filter(([failing]) => failing !== row),
      ...(failed ? [[row, failed] as [number, string[]]] : []),
    ],
    again: [...run.again, { row, commit, day, failedBefore }],
  };
};

/** With what tests found that had failed and were tried again, alone: until then they had said nothing of any row. */
export const withFailedAgain = (
  run: LastRun,
  { failed, commit, day, findings }: Again & { readonly failed: readonly FailedTest[] },
): LastRun => {
  const names = failed.map(({ name }) => name);
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

/** A test that failed in the last run. */
export interface FailedTest {
  /** As it is recorded. */
  readonly name: string;
  readonly title: string;
  readonly file: string;
}

/** The tests that failed in a run; neither scenarios of chaos nor files that did not load. */
export const failedTests = ({ failures }: Pick<LastRun, 'failures'>): readonly FailedTest[] =>
  [...new Set(failures.flatMap(([, names]) => names))].flatMap((name) => {
    const { title = '', file = '' } =
      /^(?!outside of its tests,)(?<title>.+) \((?<file>test\/\S+\.test\.ts)\)$/.exec(name)?.groups ?? {};
    return file === '' ? [] : [{ name, title, file }];
  });

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
  const runs = longRuns.filter((run) => run.tree === tree);
  const isSeenBroken = ({ row, of }: LongRun): boolean =>
    runs.some((run) => run.row === row && run.of === of && run.violations > 0);
  return runs
    .filter((run) => !isSeenBroken(run))
    .filter(({ row, of }) => rowOf(row).wants.some((want) => want.isRecorded === true && want.of === of))
    .map(({ row, of, count, command }) => ({ row, of, tries: count, seen: `recorded: ${command}` }));
};
