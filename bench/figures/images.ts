import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { installOwnPackage } from '../harness/own-package.ts';
import type { PlotData } from './plot-data.ts';

const plots = path.join(import.meta.dirname, '../plots');
const folder = path.join(import.meta.dirname, '../../docs/images');

/** Draws them into `docs/images`. What draws is a package of its own, installed when it is first wanted. */
export const writeImages = async (pictures: readonly PlotData[], say: (text: string) => void): Promise<void> => {
  installOwnPackage(plots, 'what draws the plots', say);
  const { draw } = (await import(path.join(plots, 'draw.ts'))) as { readonly draw: (data: PlotData) => string };
  for (const picture of pictures) writeFileSync(path.join(folder, `${picture.name}.svg`), draw(picture));
};
