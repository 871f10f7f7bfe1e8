import fc from 'fast-check';
import { expect, it } from 'vitest';
import { playHistory, rough } from './history.ts';
import { hold } from './hold.ts';

const RUNS = 30_000;

it('keeps its promises whatever dies, freezes, is lost, comes late or is said twice', {
  timeout: 600_000,
}, async () => {
  await hold({ histories: rough, runs: RUNS });
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
