import type { Result } from './results.ts';
import type { Samples } from './rounds.ts';
import type { Figure, Target } from './row.ts';
import { type Spread, spreadOf } from './spread.ts';

export type Table = readonly (readonly string[])[];

/** The part of a result in its first table. */
export interface Measured {
  readonly figures: readonly Figure[];
  readonly samples: Samples;
}

/** Contenders down, figures across; each cell has a median with the least and greatest value. */
export const figureTable = ({ figures, samples }: Measured): Table => [
  ['', ...figures.map(({ name, unit }) => `${name}${heads[unit] ?? `, ${unit}`}`)],
  ...Object.entries(samples).map(([contender, own]) => [
    contender,
    ...figures.map((figure) => {
      const values = own[figure.name];
      return values === undefined ? '' : cell(spreadOf(values), figure.unit);
    }),
  ]),
];

/** Units that do not stand behind a comma. */
const heads: Partial<Record<Unit, string>> = { '/s': ' /s', count: '', exponent: '' };

export const targetTable = (result: Result): Table => [
  ['target', 'measured', 'reached'],
  ...result.targets.map((target) => {
    const { found, isReached } = judge(target, result.samples);
    const unit = target.against === undefined ? unitOf(result.figures, target.figure) : 'ratio';
    const verdict = isReached ? 'yes' : 'NO';
    return [
      describe(target, unit),
      found === undefined ? '' : cell(found, unit),
      found === undefined ? 'not measured' : verdict,
    ];
  }),
];

const describe = (target: Target, unit: Unit): string => {
  const { of, figure, against, atLeast, atMost } = target;
  const bound = atLeast === undefined ? `<= ${show(atMost ?? 0, unit)}` : `>= ${show(atLeast, unit)}`;
  return `${of}: ${figure} ${bound}${against === undefined ? '' : ` ${against}`}`;
};

export type Unit = Figure['unit'] | 'ratio';

const unitOf = (figures: readonly Figure[], name: string): Unit =>
  figures.find((figure) => figure.name === name)?.unit ?? 'ratio';

const cell = ({ median, min, max }: Spread, unit: Unit): string =>
  min === max ? show(median, unit) : `${show(median, unit)} (${show(min, unit)}..${show(max, unit)})`;

/** For a reader: three or four digits and the unit. */
export const show = (value: number, unit: Unit): string => {
  switch (unit) {
    case '/s':
      return short(value);
    case 'ms':
      return `${value < 10 ? value.toPrecision(2) : Math.round(value)} ms`;
    case 'µs':
      return `${value < 10 ? value.toPrecision(2) : Math.round(value)} µs`;
    case 'count':
      return value < 10 ? value.toPrecision(2) : short(value);
    case 'exponent':
      return value.toFixed(2);
    case 's':
      return `${value.toFixed(1)} s`;
    case 'B':
    case 'MB':
      return `${Math.round(value)} ${unit}`;
    case 'ratio':
      return `${value.toFixed(2)} x`;
    default:
      return unit satisfies never;
  }
};

const short = (value: number): string => {
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)} M`;
  return value >= 1e4 ? `${(value / 1e3).toFixed(1)} k` : Math.round(value).toLocaleString('en');
};

interface Verdict {
  readonly target: Target;
  /** Undefined: not measured. */
  readonly found: Spread | undefined;
  /** By the median, or by each round. Not if a round lacks the figure: perhaps nothing came to be measured. */
  readonly isReached: boolean;
}

export const judge = (target: Target, samples: Samples): Verdict => {
  const values = compared(target, samples);
  if (values.length === 0) return { target, found: undefined, isReached: false };
  const found = spreadOf(values);
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY, isInEachRound = false } = target;
  const [least, most] = isInEachRound ? [found.min, found.max] : [found.median, found.median];
  return { target, found, isReached: !values.some(Number.isNaN) && least >= atLeast && most <= atMost };
};

/** A figure of each round; with `against` its ratio to another contender's figure in the same round. */
export const compared = (
  { of, figure, against }: Pick<Target, 'of' | 'figure' | 'against'>,
  samples: Samples,
): readonly number[] => {
  const own = valuesOf(samples, of, figure);
  if (against === undefined) return own;
  const others = valuesOf(samples, against, figure);
  // Compares only values that were measured within the same minute.
  return own.map((value, round) => value / (others[round] ?? Number.NaN));
};

const valuesOf = (samples: Samples, contender: string, figure: string): readonly number[] =>
  samples[contender]?.[figure] ?? [];
