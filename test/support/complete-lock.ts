// `npm run lock`, after a change of dependencies: completes package-lock.json so that `npm ci` accepts it.
import { readFileSync, writeFileSync } from 'node:fs';
import { withoutGaps } from './lock-gaps.ts';

writeFileSync('package-lock.json', withoutGaps(readFileSync('package-lock.json', 'utf8')));
