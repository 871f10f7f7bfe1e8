import { describe, it } from 'vitest';
import { calm, kind } from './history.ts';
import { hold } from './hold.ts';
import { parts } from './parts.ts';

const RUNS = 10_000;

describe('completes everything within a tenth of a second of its time while all is well', () => {
  it.each(parts(RUNS))('part $part: $runs histories', { timeout: 600_000 }, async ({ runs }) => {
    await hold({ histories: calm, runs });
  });
});

describe('loses and doubles nothing when processes come and go', () => {
  it.each(parts(RUNS))('part $part: $runs histories', { timeout: 600_000 }, async ({ runs }) => {
    await hold({ histories: kind, runs });
  });
});
