import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type PeersBlock, PeersResult } from '../measure/measurement.ts';
import { pageOf } from './report.ts';

const folder = path.join(import.meta.dirname, '../../results');
const figuresFile = path.join(folder, 'peers.json');

/** What was recorded of every number of waiting timers. */
export const recordedPeers = (): PeersResult => PeersResult.parse(JSON.parse(readFileSync(figuresFile, 'utf8')));

/** Keeps a block, in place of the one with as many waiting. */
export const recordPeers = (block: PeersBlock): void => {
  const { blocks, ...rest } = recordedPeers();
  const others = blocks.filter(({ pending }) => pending !== block.pending);
  write({ ...rest, blocks: [...others, block].sort((left, right) => left.pending - right.pending) });
};

/** The page anew, of the figures that were recorded. */
export const rewritePage = (): void => write(recordedPeers());

/** `results/peers.json` with every figure of every round, and `results/peers.md` to read. */
const write = (result: PeersResult): void => {
  writeFileSync(figuresFile, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(path.join(folder, 'peers.md'), pageOf(result));
};
