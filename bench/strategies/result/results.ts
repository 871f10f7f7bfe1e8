import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { jobOf, Measurement, Run } from '../../harness/contender-run.ts';
import { type Spread, spreadOf } from '../../harness/spread.ts';
import type { Table } from '../../harness/tables.ts';
import { contenders, NOTHING } from '../systems/contenders.ts';

/** The sizes of a measurement. */
export const Sizes = z.object({
  /** Timers that come due, a second. */
  duePerSec: z.number(),
  dueForMs: z.number(),
  moves: z.number(),
  /** Shortens the time over which idle is measured. */
  idleAtMostMs: z.number(),
});
export type Sizes = z.infer<typeof Sizes>;

/** The task of a process. */
export const Job = jobOf(Sizes);
export type Job = z.infer<typeof Job>;

/** The record of a run. */
export const StrategiesResult = Run.extend({ sizes: Sizes, measurements: z.array(Measurement) });
export type StrategiesResult = z.infer<typeof StrategiesResult>;

/** One record of all numbers of waiting timers. */
export const resultOf = ([first, ...more]: readonly StrategiesResult[]): StrategiesResult => {
  if (first === undefined) throw new Error('nothing was measured');
  const { atDay, commit, command, machine, sizes, measurements } = first;
  return {
    ...{ atDay, commit, command, machine, sizes, loadAtEnd: (more.at(-1) ?? first).loadAtEnd },
    measurements: [...measurements, ...more.flatMap((each) => each.measurements)],
  };
};

/** Derived figures: the cost of a timer's life, the cost of idling, and the bytes. */
const derived: Readonly<Record<string, (figures: Readonly<Record<string, number>>) => number>> = {
  lifeCpu: ({ scheduleCpu = Number.NaN, fireCpu = Number.NaN }) => scheduleCpu + fireCpu,
  /** Percent of one core. */
  idleOwn: ({ idleOwnUs = Number.NaN }) => idleOwnUs / 10_000,
  idleStore: ({ idleStoreUs = Number.NaN }) => idleStoreUs / 10_000,
  idle: ({ idleOwnUs = Number.NaN, idleStoreUs = Number.NaN }) => (idleOwnUs + idleStoreUs) / 10_000,
  bytes: ({ heapBytes = Number.NaN, redisBytes = Number.NaN, diskBytes = Number.NaN }) =>
    heapBytes + redisBytes + diskBytes,
};

/** The spread of a contender's rounds; undefined if none has the figure. */
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

/** The measured numbers of waiting timers, fewest first. */
export const pendingsOf = ({ measurements }: Pick<StrategiesResult, 'measurements'>): readonly number[] =>
  [...new Set(measurements.map(({ pending }) => pending))].sort((left, right) => left - right);

const file = path.join(import.meta.dirname, '../../results/strategies.json');

export const recordStrategies = (result: StrategiesResult): void =>
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);

/** The last record. */
export const recordedStrategies = (): StrategiesResult =>
  StrategiesResult.parse(JSON.parse(readFileSync(file, 'utf8')));

/** The medians of all contenders with so many waiting timers; a dash for a missing figure. */
export const tableOf = (result: StrategiesResult, pending: number): Table => {
  const cell = (contender: string, figure: string, show: (value: number) => string): string => {
    const median = spreadOfFigure(result, { contender, pending, figure })?.median;
    return median === undefined ? '–' : show(median);
  };
  return [
    ['', 'late p50', 'p99', 'max', 'CPU to schedule', 'to fire', 'to move', 'idle: process', 'stores', 'bytes a timer'],
    ...[NOTHING, ...contenders.map(({ name }) => name)].map((name) => [
      name,
      ...['lateP50', 'lateP99', 'lateMax'].map((figure) => cell(name, figure, time)),
      ...['scheduleCpu', 'fireCpu', 'moveCpu'].map((figure) => cell(name, figure, micros)),
      ...['idleOwn', 'idleStore'].map((figure) => cell(name, figure, percent)),
      cell(name, 'bytes', (value) => `${Math.round(value)} B`),
    ]),
  ];
};

/** Two significant digits. */
export const time = (ms: number): string => {
  if (ms >= 10_000) return `${(ms / 1_000).toFixed(0)} s`;
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms >= 10 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(1)} ms`;
};

export const micros = (us: number): string => (us >= 10 ? `${us.toFixed(0)} µs` : `${us.toFixed(1)} µs`);

export const percent = (value: number): string => `${value >= 10 ? value.toFixed(0) : value.toPrecision(2)} %`;
