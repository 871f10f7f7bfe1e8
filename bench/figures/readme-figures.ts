import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Result } from '../harness/report/result.ts';
import { judge } from '../harness/report/verdict.ts';
import { spreadOf } from '../harness/spread.ts';

const folder = path.join(import.meta.dirname, '../results');

/** Where a recorded figure stands. */
export interface Place {
  readonly row: string;
  readonly of: string;
  readonly figure: string;
}

/** The median of a recorded figure's rounds; throws when nobody recorded it. */
export const median = ({ row, of, figure }: Place): number => {
  const values = recorded(row).samples[of]?.[figure];
  if (values === undefined) throw new Error(`no ${figure} of ${of} in bench/results/${row}.json`);
  return spreadOf(values).median;
};

/** The median of the ratios that the rounds had, one by one. */
export const ratio = (place: Place, against: string): number => {
  const { of, figure } = place;
  const { found } = judge({ of, figure, against }, recorded(place.row).samples);
  if (found === undefined) throw new Error(`no ${figure} of ${of} in bench/results/${place.row}.json`);
  return found.median;
};

const recorded = (row: string): Result =>
  Result.parse(JSON.parse(readFileSync(path.join(folder, `${row}.json`), 'utf8')));
