import { contenders, RAW_POSTGRES, RAW_REDIS } from '../peers/measure/contenders.ts';
import type { PeersBlock } from '../peers/measure/measurement.ts';
import { spreadOfValues, valuesOf } from '../peers/report/figures.ts';
import type { Panel, PlotData } from './plot-data.ts';
import { machineOf } from './provenance.ts';

const SERIES = 'median, from the least to the greatest round';
const limits: readonly string[] = [RAW_REDIS, RAW_POSTGRES];
const shown = [
  ...contenders.filter(({ sort }) => sort !== 'raw'),
  ...contenders.filter(({ name }) => limits.includes(name)),
];

/** The picture of the README: what ours and other products do in a second, and how late they are. */
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
    note: `${machineOf(block)}. Log scales. In brackets: the bare store, the least code that does it.`,
  };
};
