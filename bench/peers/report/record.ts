import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type PeersBlock, PeersResult } from '../measure/measurement.ts';
import { pageOf } from './report.ts';

const folder = path.join(import.meta.dirname, '../../results');
const figuresFile = path.join(folder, 'peers.json');

/** The records of every number of waiting timers. */
export const recordedPeers = (): PeersResult => PeersResult.parse(JSON.parse(readFileSync(figuresFile, 'utf8')));

/** Stores a block, instead of the one with the same number of waiting timers. */
export const recordPeers = (block: PeersBlock): void => {
  const { blocks, ...rest } = recordedPeers();
  const others = blocks.filter(({ pending }) => pending !== block.pending);
  write({ ...rest, blocks: [...others, block].sort((left, right) => left.pending - right.pending) });
};

/** Rewrites the page from the recorded figures. */
export const rewritePage = (): void => write(recordedPeers());

/** `results/peers.json` with every figure of every round, and `results/peers.md` to read. */
const write = (result: PeersResult): void => {
  writeFileSync(figuresFile, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(path.join(folder, 'peers.md'), pageOf(result));
};
