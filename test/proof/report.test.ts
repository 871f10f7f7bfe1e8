import { expect, it, type TestContext } from 'vitest';
import { proofFault } from '../../build/proof-fault.ts';
import { allScenarios } from '../chaos/scenarios/all-scenarios.ts';
import { prove } from '../support/properties/prove.ts';
import {
  Findings,
  failedIn,
  type LastRun,
  type LongRun,
  readLongRuns,
  recordedProofs,
  withFailedAgain,
  withRowAgain,
} from './recorded.ts';
import { linesOf, pageOf, shownBy } from './report.ts';
import { checkDeclared, type PromiseRow, promiseRows } from './table/rows.ts';

const rows: readonly PromiseRow[] = [
  {
    row: 1,
    promise: 'never wrong',
    wants: [
      { of: 'tries', atLeast: 100 },
      { of: 'kills', atLeast: 2 },
    ],
    extras: ['other tries'],
  },
  { row: 2, promise: 'never late', wants: [{ of: 'runs', atLeast: 2 }] },
];
const proofs = [
  { row: 1, tries: 60, of: 'tries' },
  { row: 1, tries: 50, of: 'tries', seen: 'max 3 ms' },
  { row: 1, tries: 2, of: 'kills' },
  { row: 1, tries: 7, of: 'other tries' },
  { row: 2, tries: 5, of: 'runs' },
];
const surroundings = {
  commit: 'c0ffee',
  tree: '0123456789',
  machine: '2 cores',
  day: '2026-01-02',
  minutes: 3,
  longRuns: [],
  again: [],
};
const lastRun: LastRun = { ...surroundings, proofs, failures: [[1, ['is never wrong']]] };
const metOf = (shown: ReturnType<typeof shownBy>): readonly boolean[] => shown.map(({ isMet }) => isMet);

it('adds up what was tried, and says what no violation in so many tries is worth', () => {
  const shown = shownBy(rows, proofs, new Map());
  expect(metOf(shown)).toEqual([true, true]);
  expect(linesOf(shown).slice(0, 3)).toEqual(['✓  1 never wrong', '  ✓  110 of 100 tries', '  ✓  2 of 2 kills']);
  const page = pageOf(shown, surroundings);
  expect(page).toContain('| 1 | never wrong | tries | 110 | 100 | 2.7e-2 | yes |');
  expect(page).toContain('| 1 | never wrong | other tries | 7 | - | 4.3e-1 | - |');
  expect(page).toContain('- max 3 ms');
  expect(page).toContain('tree 0123456789');
});

it('shows a promise only when each of its wants is met', () => {
  const seldom = proofs.map((proof) => (proof.of === 'kills' ? { ...proof, tries: 1 } : proof));
  const shown = shownBy(rows, seldom, new Map());
  expect(metOf(shown)).toEqual([false, true]);
  expect(pageOf(shown, surroundings)).toContain('| 1 | never wrong | kills | 1 | 2 | 3.0e+0 | NO |');
  expect(pageOf(shown, surroundings)).toContain(
    '1 of 2 promises shown.\n\nNot shown:\n\n- 1, never wrong: 1 of 2 kills\n',
  );
  const explained = rows.map((row) => ({ ...row, ifNotShown: 'A disk was full.' }));
  const lines = pageOf(shownBy(explained, seldom, new Map()), surroundings);
  expect(lines).toContain('- 1, never wrong: 1 of 2 kills. A disk was full.\n');
  expect(lines.match(/A disk was full/g)).toHaveLength(1);
});

it('does not call shown what a test of it saw broken', () => {
  const shown = shownBy(rows, proofs, new Map([[2, ['is on time']]]));
  expect(metOf(shown)).toEqual([true, false]);
  expect(pageOf(shown, surroundings)).toContain('- FAILED: is on time');
  const tree = '0123456789';
  expect(proofFault(pageOf(shown, { ...surroundings, tree }), tree)).toContain('2, never late: FAILED: is on time');
});

it('takes what a row found that was tried again, and says so', () => {
  const findings = new Findings();
  findings.proofs.push(
    { row: 1, tries: 200, of: 'tries' },
    { row: 1, tries: 2, of: 'kills' },
    { row: 2, tries: 1, of: 'runs' },
  );
  const again = withRowAgain(lastRun, { row: 1, commit: 'decade', day: '2026-01-03', findings, ran: new Set() });
  const shown = shownBy(rows, again.proofs, new Map(again.failures));
  expect(metOf(shown)).toEqual([true, true]);
  const page = pageOf(shown, { ...again, longRuns: [] });
  expect(page).toContain(
    'Row 1 was tried again alone on 2026-01-03 at commit decade. Before, it had FAILED: is never wrong.',
  );
  expect(page).toContain('| 2 | never late | runs | 5 | 2 |');
  // It speaks for another row, too.
  findings.fail([1, 2], 'is wrong now');
  expect(withRowAgain(again, { row: 1, commit: 'facade', day: '2026-01-03', findings, ran: new Set() })).toMatchObject({
    failures: [
      [1, ['is wrong now']],
      [2, ['is wrong now']],
    ],
    again: [{ commit: 'decade' }, { commit: 'facade', failedBefore: [] }],
  });
});

it('keeps, of a row that was tried again, a failed test that did not run', () => {
  const [ran, other] = ['is right (test/a.test.ts)', 'of inputs (seed 7) (test/b.test.ts)'] as const;
  const failing: LastRun = { ...lastRun, failures: [[1, [ran, other]]] };
  const tried = { row: 1, commit: 'decade', day: '2026-01-03', findings: new Findings(), ran: new Set([ran]) };
  const again = withRowAgain(failing, tried);
  expect(again.failures).toEqual([[1, [other]]]);
  expect(again.again).toMatchObject([{ failedBefore: [ran] }]);
  tried.findings.fail([1], ran);
  expect(withRowAgain(failing, tried).failures).toEqual([[1, [other, ran]]]);
});

it('adds what was found by what had failed and was tried again, and says so', () => {
  const unknown = 'vitest failed outside of any test';
  const scenario = 'worker killed, seed 2, 3 violations, ann: one was lost';
  const names = ['is quick (all of it) (test/some.test.ts)', 'is right (test/a/other.test.ts)', scenario, unknown];
  const failing: LastRun = { ...lastRun, failures: [[1, names]], proofs: proofs.slice(1) };
  const failed = failedIn(failing);
  expect(failed.tests.map(({ title, file }) => [title, file])).toEqual([
    ['is quick (all of it)', 'test/some.test.ts'],
    ['is right', 'test/a/other.test.ts'],
  ]);
  expect(failed.scenarios).toEqual([{ name: scenario, scenario: 'worker killed', seed: 2 }]);
  const brokenOff = 'worker killed, seed 2, broken off, Error: not within 10000 ms';
  expect(failedIn({ failures: [[1, [brokenOff]]] }).scenarios).toEqual([{ ...failed.scenarios[0], name: brokenOff }]);
  const findings = new Findings();
  findings.proofs.push({ row: 1, tries: 60, of: 'tries' });
  const tried = { failed, commit: 'decade', day: '2026-01-03', findings };
  const again = withFailedAgain(failing, tried);
  expect(again).toMatchObject({ proofs: { length: proofs.length }, failures: [[1, [unknown]]] });
  expect(pageOf(shownBy(rows, again.proofs, new Map()), { ...again, longRuns: [] }).replaceAll('\n', ' ')).toContain(
    `What had FAILED was tried again alone on 2026-01-03 at commit decade: ${names.slice(0, 3).join('; ')}.`,
  );
  findings.fail([1], scenario);
  expect(withFailedAgain(failing, tried).failures).toEqual([[1, [unknown, scenario]]]);
});

it('refuses what the table does not name', () => {
  expect(() => shownBy(rows, [{ row: 2, tries: 9, of: 'rums' }], new Map())).toThrow('row 2 knows no “rums”');
  const context = { task: { meta: {} } } as TestContext;
  expect(() => prove(context, { row: 1, tries: 1, of: 'historys' })).toThrow('row 1 knows no “historys”');
  expect(() => prove(context, { row: 33, tries: 1, of: 'histories' })).toThrow('there is no row 33');
  prove(context, { row: 1, tries: 1, of: 'histories' });
  expect(context.task.meta.proofs).toHaveLength(1);
});

it('has 32 promises, and scenarios of chaos that speak for wants of theirs', () => {
  expect(promiseRows.map(({ row }) => row)).toEqual(Array.from({ length: 32 }, (_, at) => at + 1));
  for (const { speaksFor } of allScenarios) for (const proof of speaksFor) checkDeclared(proof);
  for (const run of readLongRuns()) checkDeclared(run);
});

const longRun: LongRun = {
  what: 'an hour of it',
  command: 'npm run simulate',
  minutes: 60,
  commit: 'c0ffee',
  tree: '0123456789',
  row: 22,
  of: 'histories of two modules and one item',
  count: 100_000,
  tries: 'many',
  violations: 0,
  found: 'nothing',
};

it('counts a recorded run where the table wants one, of the same tree and without violations', () => {
  const count = (run: Partial<LongRun>, tree: string | undefined = longRun.tree): number =>
    recordedProofs([{ ...longRun, ...run }], tree).reduce((sum, { tries }) => sum + tries, 0);
  expect(count({})).toBe(100_000);
  expect(count({}, 'fedcba9876')).toBe(0);
  expect(recordedProofs([longRun], undefined)).toEqual([]);
  expect(count({ violations: 1 })).toBe(0);
  // Another run does not make up for it, unless it is of other sources.
  const seenBroken = { ...longRun, violations: 1 };
  expect(recordedProofs([longRun, seenBroken], longRun.tree)).toEqual([]);
  expect(recordedProofs([seenBroken, longRun], longRun.tree)).toEqual([]);
  expect(recordedProofs([longRun, longRun], longRun.tree)).toHaveLength(1);
  expect(recordedProofs([longRun, { ...seenBroken, tree: 'fedcba9876' }], longRun.tree)).toHaveLength(1);
  expect(count({ row: 1, of: 'histories' })).toBe(0);
});

it('lists a recorded run that speaks for two rows once', () => {
  const again = { ...longRun, row: 28, of: 'histories with changes of rules, on two processes' };
  const page = pageOf(shownBy(rows, [], new Map()), { ...surroundings, longRuns: [longRun, again] });
  expect(page.match(/an hour of it/g)).toHaveLength(1);
});

it('writes no line that is too long to read a change of it', () => {
  const seen = 'it was seen '.repeat(100);
  const shown = shownBy(promiseRows, [{ row: 1, tries: 1, of: 'histories', seen }], new Map([[2, [seen]]]));
  const page = pageOf(shown, { ...surroundings, longRuns: [longRun, ...readLongRuns()] });
  expect(Math.max(...page.split('\n').map((line) => line.length))).toBeLessThanOrEqual(200);
});
