import { expect, it } from 'vitest';
import { atPace } from '../../bench/harness/load.ts';

it('counts a slow call for the calls that it delays, too', async () => {
  const tookMs = await atPace(5, 20, async (number) => {
    const untilMs = performance.now() + 30;
    while (number === 0 && performance.now() < untilMs);
  });

  expect(tookMs).toHaveLength(4);
  expect(tookMs[1]).toBeGreaterThan(24);
});
