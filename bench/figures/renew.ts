import { writeFileSync } from 'node:fs';
import { recordedStrategies } from '../strategies/result/record.ts';
import { writeImages } from './images.ts';
import { pagesAsRecorded, picturesAsRecorded } from './pages.ts';
import { refutedBy } from './strategies-conclusions.ts';

/** Writes every page, table and picture of recorded figures anew, and says which sentences they do not bear out. */
export const renewFigures = async (say: (text: string) => void): Promise<void> => {
  for (const { file, text } of pagesAsRecorded()) writeFileSync(file, text);
  await writeImages(picturesAsRecorded(), say);
  for (const text of refutedBy(recordedStrategies()))
    say(`left out of docs/record/strategies.md, the figures say otherwise: ${text}`);
};
