// What `npm run figures` runs, after anything in `bench/results` was recorded again: pages, tables and pictures anew.
import { renewFigures } from './renew.ts';

await renewFigures((text) => process.stdout.write(`${text}\n`));
