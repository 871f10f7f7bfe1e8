import { type Spread, spreadOf } from '../../harness/spread.ts';
import type { Unit } from '../../harness/tables.ts';
import type { Measurement } from '../measure/measurement.ts';

export interface Figure {
  readonly key: string;
  readonly title: string;
  readonly unit: Unit;
}

export const rates: readonly Figure[] = ['schedule', 'bulk', 'reschedule', 'shift', 'cancel'].map((key) => ({
  key,
  title: `${key} /s`,
  unit: '/s',
}));

/** From the due time: until a handler begins, and until its effect, a row, is durable in Postgres. */
export const lateness: readonly Figure[] = [
  { key: 'beganP50', title: 'begins late, p50', unit: 'ms' },
  { key: 'beganP99', title: 'begins late, p99', unit: 'ms' },
  { key: 'durableP50', title: 'effect late, p50', unit: 'ms' },
  { key: 'durableP99', title: 'effect late, p99', unit: 'ms' },
  { key: 'burstBegan', title: 'burst: last begins', unit: 'ms' },
  { key: 'burstDurable', title: 'burst: last effect', unit: 'ms' },
];

export const costs: readonly Figure[] = [
  { key: 'redisBytes', title: 'Redis memory', unit: 'B' },
  { key: 'postgresBytes', title: 'Postgres disk', unit: 'B' },
];

/** Of the calling process, a call. */
export const cpuCosts: readonly string[] = ['scheduleCpu', 'rescheduleCpu', 'shiftCpu', 'cancelCpu'];

/** Counts, shown as sums of all rounds. */
export const raceCounts: readonly { readonly key: string; readonly title: string }[] = [
  { key: 'raceCalls', title: 'changes' },
  { key: 'raceApplied', title: 'applied' },
  { key: 'raceRefused', title: 'refused' },
  { key: 'raceSilent', title: 'no answer' },
  { key: 'failed', title: 'failed' },
  { key: 'stale', title: 'stale fires' },
  { key: 'again', title: 'fired again' },
  { key: 'doubled', title: 'doubled' },
  { key: 'ignored', title: 'ignored' },
  { key: 'lost', title: 'lost' },
  { key: 'early', title: 'early' },
];

/** Of a contender's rounds: round -> value. */
export const valuesOf = (
  measurements: readonly Measurement[],
  { contender, pending, figure }: { contender: string; pending: number; figure: string },
): ReadonlyMap<number, number> =>
  new Map(
    measurements.flatMap((each) => {
      const value = each.contender === contender && each.pending === pending ? each.figures[figure] : undefined;
      return value === undefined ? [] : [[each.round, value] as const];
    }),
  );

export const spreadOfValues = (values: ReadonlyMap<number, number>): Spread | undefined =>
  values.size === 0 ? undefined : spreadOf([...values.values()]);

/** Round by round: only values of the same minutes are compared. Empty if no round has both. */
export const ratiosOf = (
  values: ReadonlyMap<number, number>,
  reference: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> =>
  new Map(
    [...values].flatMap(([round, value]) => {
      const other = reference.get(round);
      return other === undefined || other <= 0 ? [] : [[round, value / other] as const];
    }),
  );
