// `npm run lock`, after a change of dependencies: completes the lock files so that `npm ci` accepts them.
import { readFileSync, writeFileSync } from 'node:fs';
import { withoutGaps } from './lock-gaps.ts';

for (const file of ['package-lock.json', 'bench/peers/package-lock.json', 'bench/plots/package-lock.json'])
  writeFileSync(file, withoutGaps(readFileSync(file, 'utf8')));
