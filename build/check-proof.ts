// Before a release (`npm run release`): the shipped sources must be the proven ones.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { proofFault } from './proof-fault.ts';
import { sourceTree } from './source-tree.ts';

const root = path.dirname(import.meta.dirname);
const fault = proofFault(readFileSync(path.join(root, 'docs/record/proof.md'), 'utf8'), sourceTree(root));
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
