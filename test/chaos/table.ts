import type { Run } from './run-scenario.ts';

const columns: readonly (readonly [name: string, cell: (run: Run) => string | number])[] = [
  ['scenario', (run) => run.scenario],
  ['seed', (run) => run.seed],
  ['feedings', (run) => run.feedings],
  ['harvests', (run) => run.harvests],
  ['grants', (run) => run.grants],
  ['changes of rules', (run) => run.rulesChanges],
  ['commands', (run) => run.commands],
  ['resent', (run) => run.resent],
  ['stock looks', (run) => run.stockLooks],
  ['violations', (run) => run.violations.length],
  ['late p50 ms', (run) => Math.round(run.lateness.committed.p50Ms)],
  ['p99', (run) => Math.round(run.lateness.committed.p99Ms)],
  ['max', (run) => Math.round(run.lateness.committed.maxMs)],
  ['bound', (run) => run.boundMs],
  ['seen p99', (run) => Math.round(run.lateness.seen.p99Ms)],
  ['answers p50', (run) => Math.round(run.answers.p50Ms)],
  ['p99', (run) => Math.round(run.answers.p99Ms)],
  ['recovery ms', (run) => Math.round(run.recoveryMs)],
];

/** The runs as a table in Markdown, and what 0 violations are worth. */
export const tableOf = (runs: readonly Run[]): string => {
  const rows = [columns.map(([name]) => name), ...runs.map((run) => columns.map(([, cell]) => String(cell(run))))];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  const feedings = runs.reduce((sum, run) => sum + run.feedings, 0);
  const violations = runs.reduce((sum, run) => sum + run.violations.length, 0);
  const worth =
    violations === 0 && feedings > 0 ? ` (below ${(3 / feedings).toExponential(1)} a feeding, at 95 %)` : '';
  return [
    '',
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...body.map(line),
    '',
    `${violations} violations in ${feedings} feedings and ${runs.length} faults${worth}`,
  ].join('\n');
};
