import fc from 'fast-check';
import { expect, it } from 'vitest';
import { historyArbitrary, playHistory } from './history.ts';
import { faultsOf } from './judge-end.ts';

it('keeps its promises whatever dies, freezes, is lost or said twice', async () => {
  const startedAt = performance.now();
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(historyArbitrary, async (history) => {
      const ended = await playHistory(history);
      steps += ended.world.kernel.steps;
      expect(faultsOf(ended)).toEqual([]);
    }),
    { numRuns: 200 },
  );
  console.log(steps / 200, (performance.now() - startedAt) / 200);
}, 120_000);
