import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Row } from './row.ts';

/** All rows of a checkout, with its own code; its packages must be installed. */
export const rowsIn = async (root: string): Promise<readonly Row[]> => {
  const folder = path.resolve(root, 'bench/rows');
  if (!existsSync(path.resolve(root, 'node_modules'))) throw new Error(`${root} has no packages: npm ci there first`);
  // Rows of timers first: these measure in this process, before games have filled its heap.
  const isOfGame = (file: string): number => Number(file.startsWith('game'));
  const files = globSync('**/*.ts', { cwd: folder })
    .sort()
    .sort((left, right) => isOfGame(left) - isOfGame(right));
  const loaded = await Promise.all(files.map((file) => import(pathToFileURL(path.join(folder, file)).href)));
  return loaded
    .flatMap((exported) => Object.values<unknown>(exported))
    .flat()
    .filter(isRow);
};

const isRow = (each: unknown): each is Row =>
  typeof each === 'object' && each !== null && 'name' in each && 'prepare' in each;
