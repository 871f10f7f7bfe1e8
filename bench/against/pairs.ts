import { show, type Table } from '../harness/report/tables.ts';
import type { Samples } from '../harness/rounds.ts';
import type { Figure } from '../harness/row.ts';
import { type Spread, spreadOf } from '../harness/spread.ts';

/** A figure of one contender in both checkouts. */
export interface Pair {
  readonly contender: string;
  readonly figure: Figure;
  readonly here: Spread;
  readonly there: Spread;
  /** Here by there, made pair by pair. */
  readonly ratio: Spread;
  /** All pairs differ the same way: beyond their spread. */
  readonly isApart: boolean;
}

/** What both have measured, each round of the one beside the same round of the other. */
export const pairsOf = (figures: readonly Figure[], here: Samples, there: Samples): readonly Pair[] =>
  Object.keys(here).flatMap((contender) =>
    figures.flatMap((figure) => {
      const [own = [], other = []] = [here, there].map((samples) => samples[contender]?.[figure.name]);
      const ratios = own.flatMap((value, round) => {
        const beside = other[round];
        return beside === undefined || beside === 0 ? [] : [value / beside];
      });
      if (ratios.length === 0) return [];
      const ratio = spreadOf(ratios);
      const isApart = ratio.min > 1 || ratio.max < 1;
      return [{ contender, figure, here: spreadOf(own), there: spreadOf(other), ratio, isApart }];
    }),
  );

export const pairTable = (pairs: readonly Pair[]): Table => [
  ['', '', 'here', 'there', 'here / there, pair by pair', ''],
  ...pairs.map(({ contender, figure, here, there, ratio, isApart }) => [
    contender,
    figure.name,
    show(here.median, figure.unit),
    show(there.median, figure.unit),
    `${ratio.median.toFixed(2)} x (${ratio.min.toFixed(2)}..${ratio.max.toFixed(2)})`,
    isApart ? 'apart' : 'within the spread',
  ]),
];
