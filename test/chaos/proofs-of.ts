import type { Proof } from '../support/properties/prove.ts';
import type { Run } from './run-scenario.ts';
import type { Scenario } from './scenarios/scenario.ts';

/** Lateness, stock, order of events, rules in force: each scenario is judged for them. */
const always: readonly number[] = [11, 12, 16, 28];

/** The rows that a scenario speaks for. */
export const rowsOf = ({ speaksFor }: Scenario): readonly number[] => [
  ...new Set([...always, ...speaksFor.map(({ row }) => row)]),
];

/** What a run without violations speaks for. */
export const proofsOf = (run: Run, { name, speaksFor }: Scenario): Proof[] => {
  const { feedings, rulesChanges, events, players, comebacks, looksUnderFault, servingMs, lateness, boundMs } = run;
  const seen = `${name}: max ${Math.round(lateness.committed.maxMs)} ms late, bound ${boundMs}`;
  const serving = servingMs.length === 0 ? '' : `, all gateways served within ${Math.max(...servingMs)} ms of its end`;
  return [
    { row: 11, tries: feedings, of: 'feedings under faults', seen },
    { row: 12, tries: feedings, of: 'feedings whose stock was folded from the log' },
    { row: 12, tries: looksUnderFault, of: 'looks at the stock while chaos lasts, one a second' },
    { row: 28, tries: rulesChanges, of: 'changes of rules under faults' },
    { row: 16, tries: events, of: 'events followed' },
    { row: 16, tries: players, of: 'players followed' },
    { row: 16, tries: comebacks, of: 'dropped clients' },
    ...[...speaksFor, ...run.counted].map(({ row, of, times }) => ({
      row,
      of,
      tries: times,
      seen: `${name}: ${feedings} feedings${serving}`,
    })),
  ];
};

/** A run in which hardly anything happened would prove nothing. While Postgres is away, nobody looks at the stock. */
export const isPlayed = ({ feedings, players, harvests, grants, rulesChanges, stockLooks }: Run): boolean =>
  feedings > players && harvests > 0 && grants > 0 && rulesChanges > 0 && stockLooks > 2;
