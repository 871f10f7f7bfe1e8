import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installOwnPackage } from '../harness/own-package.ts';
import { recordedResults } from '../harness/results.ts';
import { recordedPeers } from '../peers/report/report.ts';
import { recordedStrategies } from '../strategies/result/results.ts';
import { type PlotData, peersPlot, strategyPlots } from './plots.ts';
import { readmeTable } from './readme-table.ts';
import { refutedBy, strategiesPageOf } from './strategies-page.ts';
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

/** Rewrites every page, table and picture of recorded figures, and prints the sentences that the figures contradict. */
export const renewFigures = async (say: (text: string) => void): Promise<void> => {
  for (const { file, text } of pagesAsRecorded()) writeFileSync(file, text);
  await writeImages(picturesAsRecorded(), say);
  for (const text of refutedBy(recordedStrategies()))
    say(`left out of docs/record/strategies.md, the figures say otherwise: ${text}`);
};

const plots = path.join(root, 'bench/plots');

/** Draws them into `docs/images`. The drawing tool is a package of its own, installed at its first use. */
const writeImages = async (pictures: readonly PlotData[], say: (text: string) => void): Promise<void> => {
  installOwnPackage(plots, 'what draws the plots', say);
  const { draw } = (await import(path.join(plots, 'draw.ts'))) as { readonly draw: (data: PlotData) => string };
  for (const picture of pictures) writeFileSync(path.join(root, 'docs/images', `${picture.name}.svg`), draw(picture));
};
