import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PeersResult } from '../measure/measurement.ts';
import { pageOf } from './report.ts';

const folder = path.join(import.meta.dirname, '../../results');
const figuresFile = path.join(folder, 'peers.json');

/** `results/peers.json` with every figure of every round, and `results/peers.md` to read. */
export const recordPeers = (result: PeersResult): void => {
  writeFileSync(figuresFile, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(path.join(folder, 'peers.md'), pageOf(result));
};

/** The page anew, of the figures that were recorded. */
export const rewritePage = (): void => recordPeers(PeersResult.parse(JSON.parse(readFileSync(figuresFile, 'utf8'))));
