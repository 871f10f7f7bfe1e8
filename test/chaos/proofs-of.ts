import type { Proof } from '../support/properties/prove.ts';
import type { Run } from './run-scenario.ts';
import type { Scenario } from './scenarios/scenario.ts';

/** What a run without violations speaks for. */
export const proofsOf = (run: Run, { name, speaksFor }: Scenario): Proof[] => {
  const { feedings, events, stockLooks, servingMs, lateness, boundMs } = run;
  const seen = `${name}: max ${Math.round(lateness.committed.maxMs)} ms late, bound ${boundMs}`;
  return [
    { row: 11, tries: feedings, of: 'feedings under faults', seen },
    { row: 12, tries: feedings, of: 'feedings whose stock was folded from the log' },
    { row: 12, tries: stockLooks, of: 'looks at the stock while chaos lasts, one a second' },
    { row: 16, tries: events, of: 'events followed' },
    ...servingMs.map((ms) => ({
      row: 15,
      tries: 1,
      of: 'times serving within 5 s again',
      seen: `${name}: all gateways served ${ms} ms after it`,
    })),
    ...[...speaksFor, ...run.counted].map(({ row, of, times }) => ({
      row,
      of,
      tries: times,
      seen: `${name}: ${feedings} feedings`,
    })),
  ];
};
