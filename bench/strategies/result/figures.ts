import { type Spread, spreadOf } from '../../harness/spread.ts';
import type { StrategiesResult } from './measurement.ts';

/** What is derived from what was measured: the cost of a timer's life, of being idle, and the bytes it takes. */
const derived: Readonly<Record<string, (figures: Readonly<Record<string, number>>) => number>> = {
  lifeCpu: ({ scheduleCpu = Number.NaN, fireCpu = Number.NaN }) => scheduleCpu + fireCpu,
  /** Percent of one core. */
  idleOwn: ({ idleOwnUs = Number.NaN }) => idleOwnUs / 10_000,
  idleStore: ({ idleStoreUs = Number.NaN }) => idleStoreUs / 10_000,
  idle: ({ idleOwnUs = Number.NaN, idleStoreUs = Number.NaN }) => (idleOwnUs + idleStoreUs) / 10_000,
  bytes: ({ heapBytes = Number.NaN, redisBytes = Number.NaN, diskBytes = Number.NaN }) =>
    heapBytes + redisBytes + diskBytes,
};

/** Of a contender's rounds; undefined where none has the figure. */
export const spreadOfFigure = (
  { measurements }: Pick<StrategiesResult, 'measurements'>,
  { contender, pending, figure }: { contender: string; pending: number; figure: string },
): Spread | undefined => {
  const values = measurements.flatMap((each) => {
    if (each.contender !== contender || each.pending !== pending) return [];
    const value = derived[figure]?.(each.figures) ?? each.figures[figure];
    return value === undefined || Number.isNaN(value) ? [] : [value];
  });
  return values.length === 0 ? undefined : spreadOf(values);
};

/** Numbers of waiting timers that were measured, fewest first. */
export const pendingsOf = ({ measurements }: Pick<StrategiesResult, 'measurements'>): readonly number[] =>
  [...new Set(measurements.map(({ pending }) => pending))].sort((left, right) => left - right);
