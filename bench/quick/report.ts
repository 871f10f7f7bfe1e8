import { aligned } from '../harness/report/report.ts';
import { show, type Unit } from '../harness/report/tables.ts';
import type { Row } from '../harness/row.ts';
import type { Spread } from '../harness/spread.ts';
import type { Comparison } from './compare.ts';

export interface RowComparison {
  readonly row: Pick<Row, 'name' | 'figures'>;
  readonly comparisons: readonly Comparison[];
}

/** All guarded figures with what was recorded, what is now, and by how much they may differ. */
export const guardTable = (rows: readonly RowComparison[]): string =>
  aligned([
    ['guarded', 'recorded', 'now', 'noise', ''],
    ...rows.flatMap(({ row, comparisons }) =>
      comparisons.map((comparison) => [
        nameOf(row.name, comparison),
        cell(row, comparison, comparison.recorded),
        cell(row, comparison, comparison.now),
        `${Math.round((comparison.noise - 1) * 100)} %`,
        comparison.verdict === 'worse' || comparison.verdict === 'gone'
          ? comparison.verdict.toUpperCase()
          : comparison.verdict,
      ]),
    ),
  ]);

/** What is worse by more than the noise, or gone. */
export const failed = (rows: readonly RowComparison[]): readonly string[] =>
  rows.flatMap(({ row, comparisons }) =>
    comparisons
      .filter(({ verdict }) => verdict === 'worse' || verdict === 'gone')
      .map((comparison) => `${nameOf(row.name, comparison)}: ${comparison.verdict}`),
  );

const nameOf = (row: string, { guarded: { of, figure, against } }: Comparison): string =>
  `${row} · ${of}: ${figure}${against === undefined ? '' : ` to ${against}`}`;

const cell = ({ figures }: RowComparison['row'], { guarded }: Comparison, spread: Spread | undefined): string => {
  if (!spread) return '-';
  const unit: Unit =
    guarded.against === undefined ? (figures.find(({ name }) => name === guarded.figure)?.unit ?? 'count') : 'ratio';
  return show(spread.median, unit);
};
