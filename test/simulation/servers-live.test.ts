import { it } from 'vitest';
import { calm, kind } from './history.ts';
import { hold } from './hold.ts';

const RUNS = 10_000;

it('completes everything within a tenth of a second of its time while all is well', { timeout: 600_000 }, async () => {
  await hold({ histories: calm, runs: RUNS });
});

it('loses and doubles nothing when processes come and go', { timeout: 600_000 }, async () => {
  await hold({ histories: kind, runs: RUNS });
});
