import { pendingsOf, spreadOfFigure } from '../strategies/result/figures.ts';
import type { StrategiesResult } from '../strategies/result/measurement.ts';
import { percent } from '../strategies/result/table.ts';
import { contenders, NOTHING } from '../strategies/systems/contenders.ts';
import type { Dot, PlotData } from './plot-data.ts';
import { machineOf } from './provenance.ts';

const rows = contenders.map(({ name }) => name);
const ours = contenders.filter(({ isOurs }) => isOurs).map(({ name }) => name);
const looks = ['light', 'middle', 'dark', 'darkest'] as const;

/** The pictures of `docs/record/strategies.md`. */
export const strategyPlots = (result: StrategiesResult): readonly PlotData[] => {
  const pendings = pendingsOf(result);
  const note = `${machineOf(result)}.`;
  const median = (contender: string, pending: number, figure: string): number | undefined =>
    spreadOfFigure(result, { contender, pending, figure })?.median;
  const waiting = (pending: number): string => `${pending.toLocaleString('en')} waiting`;
  const grown = (figure: string): readonly Dot[] =>
    rows.flatMap((row) =>
      pendings.flatMap((pending) => {
        const value = median(row, pending, figure);
        return value === undefined ? [] : [{ row, value, series: waiting(pending) }];
      }),
    );
  const sizes = pendings.map((pending, at) => ({ name: waiting(pending), look: looks[at] ?? 'darkest' }));
  const many = manyOf(pendings);
  const late = rows.flatMap((row): readonly Dot[] => {
    const [p50, p99, max] = ['lateP50', 'lateP99', 'lateMax'].map((figure) => median(row, many, figure));
    if (p50 === undefined || p99 === undefined || max === undefined) return [];
    return [
      { row, value: p50, series: 'half are later than', from: p50, to: max },
      { row, value: p99, series: 'one in a hundred is later than' },
      { row, value: max, series: 'the latest' },
    ];
  });
  const alone = median(NOTHING, many, 'idleStore');
  const aloneNote = alone === undefined ? '' : `The stores by themselves take ${percent(alone)}.`;
  const shared = { rows, ours, note };
  return [
    {
      ...shared,
      name: 'strategies-lateness',
      title: `From due to the worker's hands, ${waiting(many)}`,
      series: [
        { name: 'half are later than', look: 'open' },
        { name: 'one in a hundred is later than', look: 'full' },
        { name: 'the latest', look: 'tick' },
      ],
      panels: [{ label: 'lateness, ms (log scale, left is better)', dots: late }],
    },
    {
      ...shared,
      name: 'strategies-idle',
      title: 'What it costs while nothing is due',
      series: sizes,
      note: `${aloneNote} ${note}`,
      panels: [
        {
          label: 'process and stores, percent of one core (log scale, left is better)',
          dots: grown('idle'),
        },
      ],
    },
    {
      ...shared,
      name: 'strategies-cpu',
      title: 'What a timer costs, at 1,000 due a second',
      series: sizes,
      panels: [
        {
          label: 'CPU to schedule and fire, process and stores, µs a timer (log scale, left is better)',
          dots: grown('lifeCpu'),
        },
      ],
    },
  ];
};

/** The size of what is shown for one size only: many, and the greatest that leaves nobody out. */
export const manyOf = (pendings: readonly number[]): number => pendings.findLast((pending) => pending <= 100_000) ?? 0;
