import { markdown, type Result } from '../harness/results.ts';
import { targetTable } from '../harness/tables.ts';
import type { PeersResult } from '../peers/measure/measurement.ts';
import { goalTable } from '../peers/report/report.ts';
import { type Limit, limits } from './limits.ts';

/** A target as the page names it. */
export interface Reached {
  readonly row: string;
  readonly target: string;
  readonly measured: string;
  readonly reached: string;
}

/** All targets, as last recorded. */
export const allTargets = (results: readonly Result[], peers: PeersResult): readonly Reached[] => [
  ...results.flatMap((result) =>
    targetTable(result)
      .slice(1)
      .map(([target = '', measured = '', reached = '']) => ({ row: result.name, target, measured, reached })),
  ),
  ...peers.blocks.flatMap(({ measurements, pending }) =>
    goalTable(measurements, pending)
      .slice(1)
      .map(([goal = '', of = '', measured = '', reached = '']) => ({
        row: 'peers',
        target: `${of}, ${pending.toLocaleString('en')} waiting: ${goal}`,
        measured,
        reached,
      })),
  ),
];

export const limitOf = ({ row, target }: Reached): Limit | undefined =>
  limits.find((limit) => limit.rows.includes(row) && limit.targets.test(target));

/** `docs/record/targets.md`: recorded figures, and words by hand for missed targets. */
export const targetsPageOf = (all: readonly Reached[]): string => {
  const missed = all.filter(({ reached }) => reached !== 'yes');
  return `# Targets

The project's targets and the last measurement of each: ${all.length - missed.length} of ${all.length} are reached. \`npm run figures\` writes this page from [the
record](../../bench/results); the methods: [results](../../bench/results/README.md), [peers](../../bench/results/peers.md).
\`npm run bench -- <row>\` measures a row again, \`npm run bench:peers\` the peers. A target is judged by the median of its
rounds, a target beside another product also by four of five pairs (\`peers\`) or by each round (\`composite\`); in
brackets the least and the greatest.

## Missed

${missed.length === 0 ? 'None.' : byLimit(missed)}

## All

${markdown([['row', 'target', 'measured', 'reached'], ...all.map(({ row, target, measured, reached }) => [row, target, measured, reached])])}
`;
};

/** Groups missed targets by their reason. */
const byLimit = (missed: readonly Reached[]): string =>
  [...Map.groupBy(missed, limitOf)]
    .map(([limit, of]) => {
      const lines = of.map(({ row, target, measured }) => `- \`${row}\` ${target}: ${measured || 'not measured'}`);
      return `${lines.join('\n')}\n\n${limit?.why ?? 'No reason is recorded yet.'}`;
    })
    .join('\n\n');
