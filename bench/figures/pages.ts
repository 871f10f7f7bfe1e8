import { readFileSync } from 'node:fs';
import path from 'node:path';
import { recordedResults } from '../harness/results.ts';
import { recordedPeers } from '../peers/report/record.ts';
import { recordedStrategies } from '../strategies/result/results.ts';
import { type PlotData, peersPlot, strategyPlots } from './plots.ts';
import { readmeTable } from './readme-table.ts';
import { strategiesPageOf } from './strategies-page.ts';
import { allTargets, type Reached, targetsPageOf } from './targets-page.ts';

const root = path.join(import.meta.dirname, '../..');
const [BEGIN, END] = ['<!-- figures: npm run figures -->\n', '\n<!-- end of figures -->'];

export interface Page {
  readonly file: string;
  readonly text: string;
}

/** Every page with recorded figures, as it should be. */
export const pagesAsRecorded = (): readonly Page[] => [
  { file: path.join(root, 'docs/record/strategies.md'), text: strategiesPageOf(recordedStrategies()) },
  { file: path.join(root, 'docs/record/targets.md'), text: targetsPageOf(recordedTargets()) },
  withTable('README.md', readmeTable('en')),
  withTable('README.zh.md', readmeTable('zh')),
];

/** Every picture, as it should be. */
export const picturesAsRecorded = (): readonly PlotData[] => [
  ...strategyPlots(recordedStrategies()),
  ...recordedPeers().blocks.slice(0, 1).map(peersPlot),
];

export const recordedTargets = (): readonly Reached[] => allTargets(recordedResults(), recordedPeers());

const withTable = (name: string, table: string): Page => {
  const file = path.join(root, name);
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${name} has no place for its figures`);
  return { file, text: text.slice(0, from + BEGIN.length) + table + text.slice(to) };
};
