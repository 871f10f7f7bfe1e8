import { expect, it } from 'vitest';
import { beside } from '../../bench/rows/game/long-settle.ts';

it('shows the one long wait of few, which is what the row is for', async () => {
  const { promise: working, resolve: end } = Promise.withResolvers<void>();
  let asked = 0;
  const sample = await beside(
    () => working,
    async () => {
      asked += 1;
      if (asked < 2) return;
      // The loop stands still, as beside a settling that never pauses.
      const beganAtMs = performance.now();
      while (performance.now() - beganAtMs < 50);
      end();
      await working;
    },
  );
  expect(asked).toBe(2);
  expect(sample["other player's p99"]).toBeGreaterThan(40);
});
