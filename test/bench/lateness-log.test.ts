import { afterEach, expect, it, vi } from 'vitest';
import { epochClock, LatenessLog } from '../../bench/timers/lateness-log.ts';

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

it('takes no timer that comes twice for another that does not come', async () => {
  const times = { atMs: [5, 5, 7], countsFromMs: 0 };
  const log = new LatenessLog(times);
  for (const dueAtMs of [7, 5, 7, 5]) log.note(dueAtMs);
  await expect(log.sample()).rejects.toThrow('1 timers came twice, or were not expected');
  const whole = new LatenessLog(times);
  for (const dueAtMs of [7, 5, 5]) whole.note(dueAtMs);
  expect((await whole.sample()).p50).toBeGreaterThan(0);
});
