import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PeersResult } from './measurement.ts';
import { pageOf } from './report.ts';

const folder = path.join(import.meta.dirname, '../results');

/** `results/peers.json` with every figure of every round, and `results/peers.md` to read. */
export const recordPeers = (result: PeersResult): void => {
  writeFileSync(path.join(folder, 'peers.json'), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(path.join(folder, 'peers.md'), pageOf(result));
};
