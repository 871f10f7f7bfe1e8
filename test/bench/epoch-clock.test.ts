import { afterEach, expect, it, vi } from 'vitest';
import { epochClock } from '../../bench/timers/lateness-log.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('is not led astray by a look that was interrupted', () => {
  let epochMs = 1_000_000;
  let interruptedMs = 5;
  vi.spyOn(Date, 'now').mockImplementation(() => {
    epochMs += 1;
    return epochMs;
  });
  vi.spyOn(performance, 'now').mockImplementation(() => {
    const nowMs = epochMs - 1_000_000 + interruptedMs;
    interruptedMs = 0;
    return nowMs;
  });

  expect(epochClock()()).toBe(epochMs);
});
