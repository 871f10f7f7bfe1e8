import type { Proof } from '../support/properties/prove.ts';
import type { LastRun, LongRun } from './recorded.ts';
import { checkDeclared, type PromiseRow, type Want } from './table/rows.ts';

export interface Surroundings {
  readonly commit: string;
  /** Of `server`, `shared` and `client` (`build/source-tree.ts`). */
  readonly tree: string;
  readonly machine: string;
  readonly day: string;
  readonly minutes: number;
  readonly longRuns: readonly LongRun[];
  readonly again: LastRun['again'];
}

export interface Met extends Want {
  readonly tries: number;
  readonly isMet: boolean;
}

export interface Shown {
  readonly row: PromiseRow;
  /** Every want is met, and nothing failed. */
  readonly isMet: boolean;
  readonly wants: readonly Met[];
  /** Other tries. */
  readonly extras: readonly (readonly [of: string, tries: number])[];
  readonly seen: readonly string[];
}

const FAILED = 'FAILED: ';

/** The results of all tests for each promise. `failures`: names of tests that failed, by row. */
export const shownBy = (
  rows: readonly PromiseRow[],
  proofs: readonly Proof[],
  failures: ReadonlyMap<number, readonly string[]>,
): readonly Shown[] =>
  rows.map((row) => {
    const own = proofs.filter((proof) => proof.row === row.row);
    for (const proof of own) checkDeclared(proof, rows);
    const triesOf = (of: string): number => own.reduce((sum, proof) => sum + (proof.of === of ? proof.tries : 0), 0);
    const broken = (failures.get(row.row) ?? []).map((name) => `${FAILED}${name}`);
    const wants = row.wants.map((want): Met => {
      const tries = triesOf(want.of);
      return { ...want, tries, isMet: broken.length === 0 && tries >= want.atLeast };
    });
    return {
      row,
      wants,
      isMet: wants.every(({ isMet }) => isMet),
      extras: (row.extras ?? []).map((of) => [of, triesOf(of)] as const).filter(([, tries]) => tries > 0),
      seen: [...broken, ...new Set(own.flatMap(({ seen }) => seen ?? []))],
    };
  });

/** The bound of the true rate after so many tries without a violation, with 95 % confidence (the rule of three). */
const boundOf = (tries: number): string => (tries === 0 ? '-' : (3 / tries).toExponential(1));

const count = (value: number): string => value.toLocaleString('en-US');

/** The table as lines for a terminal. */
export const linesOf = (shown: readonly Shown[]): string[] =>
  shown.flatMap(({ row, isMet, wants }) => [
    `${isMet ? '✓' : '✗'} ${String(row.row).padStart(2)} ${row.promise}`,
    ...wants.map((want) => `  ${want.isMet ? '✓' : '✗'}  ${count(want.tries)} of ${count(want.atLeast)} ${want.of}`),
  ]);

/** `docs/record/proof.md`. */
export const pageOf = (shown: readonly Shown[], surroundings: Surroundings): string => {
  const { commit, tree, machine, day, minutes, longRuns, again } = surroundings;
  const met = shown.filter(({ isMet }) => isMet).length;
  const unmet = shown.filter(({ isMet }) => !isMet);
  return [
    '# Proof',
    '',
    `Written by \`npm run proof\` on ${day} at commit ${commit}, tree ${tree} of \`server\`, \`shared\` and \`client\`,`,
    `in ${minutes} minutes, on ${machine}. ${met} of ${shown.length} promises shown.`,
    ...again.flatMap((one) => lengthy(saidOfTry(one))),
    ...(unmet.length === 0 ? [] : ['', 'Not shown:', '', ...unmet.flatMap((each) => listed(whyNot(each)))]),
    '',
    'Zero violations mean nothing without the number of tries: with n tries and none, the rate of violations is below 3 / n',
    '(95 % confidence), the bound. A promise is shown when each of its lines is met and nothing failed. How well the suite',
    'sees: row 3, the planted faults.',
    '',
    '| # | promise | what was tried | tries without a violation | wanted | bound | shown |',
    '|---|---|---|---:|---:|---:|---|',
    ...shown.flatMap(tableLines),
    '',
    '## Seen',
    '',
    ...shown.flatMap(seenLines),
    '## Long runs',
    '',
    'By hand, since they take too long for every report. They count in the table only where it says “recorded”, and only at the',
    'same tree.',
    '',
    // A run that speaks for two rows is one.
    ...new Set(longRuns.map((run) => longRunLines(run).join('\n'))),
    '',
  ].join('\n');
};

const saidOfTry = ({ row, day, commit, failedBefore }: LastRun['again'][number]): string => {
  if (row === undefined)
    return `What had FAILED was tried again alone on ${day} at commit ${commit}: ${failedBefore.join('; ')}.`;
  const failed = failedBefore.length === 0 ? '' : ` Before, it had FAILED: ${failedBefore.join('; ')}.`;
  return `Row ${row} was tried again alone on ${day} at commit ${commit}.${failed}`;
};

const whyNot = ({ row, wants, seen }: Shown): string => {
  const broken = seen.filter((one) => one.startsWith(FAILED));
  const few = wants
    .filter(({ tries, atLeast }) => tries < atLeast)
    .map(({ of, tries, atLeast, isRecorded }) => {
      const where = isRecorded === true ? ' in recorded runs of this tree' : '';
      return `${count(tries)} of ${count(atLeast)} ${of}${where}`;
    });
  const why = row.ifNotShown === undefined ? '' : `. ${row.ifNotShown}`;
  return `${row.row}, ${row.promise}: ${[...broken, ...few].join('; ')}${why}`;
};

const tableLines = ({ row, wants, extras }: Shown): string[] => {
  const line = (...cells: readonly (string | number)[]): string =>
    `| ${[row.row, row.promise, ...cells].join(' | ')} |`;
  return [
    ...wants.map(({ of, tries, atLeast, isMet, isRecorded }) => {
      const what = isRecorded === true ? `${of} (recorded)` : of;
      return line(what, count(tries), count(atLeast), boundOf(tries), isMet ? 'yes' : 'NO');
    }),
    ...extras.map(([of, tries]) => line(of, count(tries), '-', boundOf(tries), '-')),
  ];
};

const seenLines = ({ row, seen }: Shown): string[] =>
  seen.length === 0 ? [] : [`Row ${row.row}, ${row.promise}:`, '', ...seen.flatMap((one) => listed(one)), ''];

const longRunLines = (run: LongRun): string[] => [
  ...listed(`${run.what}: \`${run.command}\`, ${run.minutes} minutes, commit ${run.commit}, tree ${run.tree}`),
  ...listed(`tried: ${run.tries}; violations: ${run.violations}; found: ${run.found}`, '  '),
  ...(run.picture === undefined ? [] : ['', `  ![${run.what}](../images/${run.picture})`, '']),
];

/** No line of the page is longer, so that a change of it can be read. */
const WIDTH = 120;

/** As lines of at most `WIDTH`, broken at spaces. */
const lengthy = (text: string, indent = ''): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter(Boolean)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, indent + line];
};

/** A point of a list. */
const listed = (text: string, indent = ''): string[] =>
  lengthy(text, `${indent}  `).map((line, at) => (at === 0 ? `${indent}- ${line.trimStart()}` : line));
