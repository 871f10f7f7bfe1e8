import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { installOwnPackage } from '../harness/own-package.ts';
import { recordedStrategies } from '../strategies/result/results.ts';
import { pagesAsRecorded, picturesAsRecorded } from './pages.ts';
import type { PlotData } from './plots.ts';
import { refutedBy } from './strategies-page.ts';

/** Rewrites every page, table and picture of recorded figures, and prints the sentences that the figures contradict. */
export const renewFigures = async (say: (text: string) => void): Promise<void> => {
  for (const { file, text } of pagesAsRecorded()) writeFileSync(file, text);
  await writeImages(picturesAsRecorded(), say);
  for (const text of refutedBy(recordedStrategies()))
    say(`left out of docs/record/strategies.md, the figures say otherwise: ${text}`);
};

const plots = path.join(import.meta.dirname, '../plots');
const folder = path.join(import.meta.dirname, '../../docs/images');

/** Draws them into `docs/images`. The drawing tool is a package of its own, installed at its first use. */
const writeImages = async (pictures: readonly PlotData[], say: (text: string) => void): Promise<void> => {
  installOwnPackage(plots, 'what draws the plots', say);
  const { draw } = (await import(path.join(plots, 'draw.ts'))) as { readonly draw: (data: PlotData) => string };
  for (const picture of pictures) writeFileSync(path.join(folder, `${picture.name}.svg`), draw(picture));
};
