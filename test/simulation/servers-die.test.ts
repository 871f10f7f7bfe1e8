import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { playHistory, rough } from './history.ts';
import { hold } from './hold.ts';
import { parts } from './parts.ts';

const RUNS = 30_000;

describe('keeps its promises whatever dies, freezes, is lost, comes late or is said twice', () => {
  it.each(parts(RUNS))('part $part: $runs histories', { timeout: 600_000 }, async ({ runs }) => {
    await hold({ histories: rough, runs });
  });
});

it('plays the same history in the same way each time', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(rough, async (history) => {
      const [once, again] = [await playHistory(history), await playHistory(history)];
      expect(again.world.kernel.traceHash).toBe(once.world.kernel.traceHash);
      expect(again.world.kernel.steps).toBe(once.world.kernel.steps);
    }),
    { numRuns: 1000 },
  );
});
