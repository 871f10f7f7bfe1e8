import { createHash } from 'node:crypto';
import { madeByInShort } from '../harness/machine.ts';
import { contenders as peers, RAW_POSTGRES, RAW_REDIS } from '../peers/measure/contenders.ts';
import type { PeersBlock } from '../peers/measure/measurement.ts';
import { spreadOfValues, valuesOf } from '../peers/report/figures.ts';
import { pendingsOf, percent, type StrategiesResult, spreadOfFigure } from '../strategies/result/results.ts';
import { NOTHING, contenders as strategies } from '../strategies/systems/contenders.ts';

/** One row of a panel. */
export interface Dot {
  readonly row: string;
  readonly value: number;
  /** Names the colour or shape; the legend has them in this order. */
  readonly series: string;
  /** The ends of a line through the dot: from least to greatest, or from the median to the worst. */
  readonly from?: number;
  readonly to?: number;
}

/** A scale of values, and rows down. */
export interface Panel {
  /** The axis's label: figure, unit, and the better direction. The scale is logarithmic. */
  readonly label: string;
  readonly dots: readonly Dot[];
}

/** The content of a picture. The drawing adds fonts, colours and positions. */
export interface PlotData {
  /** In `docs/images`, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly rows: readonly string[];
  readonly ours: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly look: 'open' | 'full' | 'tick' | 'light' | 'middle' | 'dark' | 'darkest';
  }[];
  readonly panels: readonly Panel[];
  /** The source of the figures. */
  readonly note: string;
}

/** Stored in the picture, so that outdated figures are noticed on a machine that cannot draw. */
export const digestOf = (data: PlotData): string =>
  createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 16);

const rows = strategies.map(({ name }) => name);
const ours = strategies.filter(({ isOurs }) => isOurs).map(({ name }) => name);
const looks = ['light', 'middle', 'dark', 'darkest'] as const;

/** The pictures of `docs/record/strategies.md`. */
export const strategyPlots = (result: StrategiesResult): readonly PlotData[] => {
  const pendings = pendingsOf(result);
  const note = `${madeByInShort(result)}.`;
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

/** The number of waiting timers in a picture of one size: the most up to 100,000, which was measured with every product. */
export const manyOf = (pendings: readonly number[]): number => pendings.findLast((pending) => pending <= 100_000) ?? 0;

const SERIES = 'median, from the least to the greatest round';
const limits: readonly string[] = [RAW_REDIS, RAW_POSTGRES];
const shown = [...peers.filter(({ sort }) => sort !== 'raw'), ...peers.filter(({ name }) => limits.includes(name))];

/** The README's picture: rates and lateness of ours and of other products. */
export const peersPlot = (block: PeersBlock): PlotData => {
  const { pending, measurements } = block;
  const present = shown.filter(({ name }) => measurements.some(({ contender }) => contender === name));
  const rows = present.map(({ name, sort }) => (sort === 'raw' ? `(${name})` : name));
  const panel = (figure: string, label: string): Panel => ({
    label,
    dots: present.flatMap(({ name }, at) => {
      const spread = spreadOfValues(valuesOf(measurements, { contender: name, pending, figure }));
      const row = rows[at] ?? name;
      return spread === undefined
        ? []
        : [{ row, value: spread.median, series: SERIES, from: spread.min, to: spread.max }];
    }),
  });
  return {
    name: 'peers',
    title: `Beside other products, ${pending.toLocaleString('en')} timers waiting`,
    rows,
    ours: present.filter(({ sort }) => sort === 'ours').map(({ name }) => name),
    series: [{ name: SERIES, look: 'full' }],
    panels: [
      panel('schedule', 'schedule, calls/s → better'),
      panel('reschedule', 'reschedule, calls/s → better'),
      panel('durableP99', 'better ← due to effect, p99, ms'),
    ],
    note: `${madeByInShort(block)}. Log scales. In brackets: the bare store, the least code that does it.`,
  };
};
