import type { Table } from '../../harness/report/tables.ts';
import { contenders, NOTHING } from '../systems/contenders.ts';
import { spreadOfFigure } from './figures.ts';
import type { StrategiesResult } from './measurement.ts';

/** Medians of all contenders with so many waiting; a dash where there is no such figure. */
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

/** Two digits that count. */
export const time = (ms: number): string => {
  if (ms >= 10_000) return `${(ms / 1_000).toFixed(0)} s`;
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms >= 10 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(1)} ms`;
};

export const micros = (us: number): string => (us >= 10 ? `${us.toFixed(0)} µs` : `${us.toFixed(1)} µs`);

export const percent = (value: number): string => `${value >= 10 ? value.toFixed(0) : value.toPrecision(2)} %`;
