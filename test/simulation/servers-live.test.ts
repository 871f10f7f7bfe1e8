import { describe, it } from 'vitest';
import { HANG_MS, tries } from '../proof/table/tries.ts';
import { prove } from '../support/properties/prove.ts';
import { calm, kind } from './history.ts';
import { hold, parts } from './hold.ts';

const RUNS = tries({ test: 100, proof: 10_000 });

describe('completes everything within a tenth of a second of its time while all is well', () => {
  it.for(parts(RUNS))('part $part: $runs histories', { timeout: HANG_MS }, async ({ part, runs }, context) => {
    const { histories, completions } = await hold({ histories: calm, runs, seed: part });
    prove(context, { row: 1, tries: histories, of: 'histories' }, { row: 9, tries: completions, of: 'completions' });
  });
});

describe('loses and doubles nothing when processes come and go', () => {
  it.for(parts(RUNS))('part $part: $runs histories', { timeout: HANG_MS }, async ({ part, runs }, context) => {
    const { histories, completions } = await hold({ histories: kind, runs, seed: part });
    prove(context, { row: 1, tries: histories, of: 'histories' }, { row: 9, tries: completions, of: 'completions' });
  });
});
