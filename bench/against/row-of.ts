import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Row } from '../harness/row.ts';

/**
 * A row as another checkout has it, with all that it runs of its own; its packages must be installed. Throws when it has
 * none of that name.
 */
export const rowOf = async (root: string, name: string): Promise<Row> => {
  const folder = path.resolve(root, 'bench/rows');
  if (!existsSync(path.resolve(root, 'node_modules'))) throw new Error(`${root} has no packages: npm ci there first`);
  for (const file of globSync('**/*.ts', { cwd: folder })) {
    const exported: unknown[] = Object.values(await import(pathToFileURL(path.join(folder, file)).href));
    const row = exported.flat().find((each): each is Row => isRow(each) && each.name === name);
    if (row !== undefined) return row;
  }
  throw new Error(`${root} has no row ${name}`);
};

const isRow = (each: unknown): each is Row =>
  typeof each === 'object' && each !== null && 'name' in each && 'prepare' in each;
