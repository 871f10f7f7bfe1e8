import type { Proof } from '../support/properties/prove.ts';
import type { PromiseRow } from './rows.ts';

/** A run by hand that takes too long for every change. */
export interface LongRun {
  readonly what: string;
  readonly command: string;
  readonly minutes: number;
  readonly commit: string;
  readonly tries: string;
  readonly violations: number;
  /** What it found, and what came of that. */
  readonly found: string;
}

export interface Surroundings {
  readonly commit: string;
  readonly machine: string;
  readonly day: string;
  readonly minutes: number;
  readonly longRuns: readonly LongRun[];
}

export interface Shown {
  readonly row: PromiseRow;
  readonly isMet: boolean;
  /** How often each thing was tried, the row's own first. */
  readonly tries: readonly (readonly [of: string, count: number])[];
  readonly seen: readonly string[];
}

/** What all tests together show for each promise. `failures`: names of tests that failed, by row. */
export const shownBy = (
  rows: readonly PromiseRow[],
  proofs: readonly Proof[],
  failures: ReadonlyMap<number, readonly string[]>,
): readonly Shown[] =>
  rows.map((row) => {
    const own = proofs.filter((proof) => proof.row === row.row);
    const counts = new Map([[row.of, 0]]);
    for (const { of, tries } of own) counts.set(of, (counts.get(of) ?? 0) + tries);
    const broken = (failures.get(row.row) ?? []).map((name) => `FAILED: ${name}`);
    return {
      row,
      isMet: broken.length === 0 && (counts.get(row.of) ?? 0) >= row.atLeast,
      tries: [...counts],
      seen: [...broken, ...new Set(own.flatMap(({ seen }) => seen ?? []))],
    };
  });

/** What no violation in so many tries is worth: with 95 % the true rate is below it (the rule of three). */
const boundOf = (tries: number): string => (tries === 0 ? '-' : (3 / tries).toExponential(1));

const count = (value: number): string => value.toLocaleString('en-US');

/** The table as lines for a terminal. */
export const linesOf = (shown: readonly Shown[]): string[] =>
  shown.map(({ row, isMet, tries }) => {
    const [, own = 0] = tries[0] ?? [];
    return `${isMet ? '✓' : '✗'} ${String(row.row).padStart(2)} ${row.promise}: ${count(own)} of ${count(row.atLeast)} ${row.of}`;
  });

/** `docs/proof.md`. */
export const pageOf = (shown: readonly Shown[], surroundings: Surroundings): string => {
  const { commit, machine, day, minutes, longRuns } = surroundings;
  const met = shown.filter(({ isMet }) => isMet).length;
  return [
    '# Proof',
    '',
    `Written by \`npm run proof\` on ${day} at commit ${commit}, in ${minutes} minutes, on ${machine}. ${met} of ${shown.length} promises shown.`,
    '',
    'Zero violations mean nothing without the number of tries: with n tries and none, the rate of violations is below 3 / n',
    '(95 % confidence), the bound. How well the suite sees: row 3, the planted faults.',
    '',
    '| # | promise | tried without a violation | wanted | bound | shown |',
    '|---|---|---|---|---|---|',
    ...shown.map(lineOf),
    '',
    '## Seen',
    '',
    ...shown.filter(({ seen }) => seen.length > 0).map(({ row, seen }) => `${row.row}. ${seen.join('; ')}`),
    '',
    '## Long runs',
    '',
    '| what | command | minutes | commit | tried | violations | found |',
    '|---|---|---|---|---|---|---|',
    ...longRuns.map(
      (run) =>
        `| ${[run.what, `\`${run.command}\``, run.minutes, run.commit, run.tries, run.violations, run.found].join(' | ')} |`,
    ),
    '',
  ].join('\n');
};

const lineOf = ({ row, isMet, tries }: Shown): string => {
  const [, own = 0] = tries[0] ?? [];
  const tried = tries.filter(([, times]) => times > 0).map(([of, times]) => `${count(times)} ${of}`);
  return `| ${[row.row, row.promise, tried.join('; ') || '-', count(row.atLeast), boundOf(own), isMet ? 'yes' : 'NO'].join(' | ')} |`;
};
