// `npm run figures`, after any new record in `bench/results`: renews pages, tables and pictures.
import { renewFigures } from './pages.ts';

await renewFigures((text) => process.stdout.write(`${text}\n`));
