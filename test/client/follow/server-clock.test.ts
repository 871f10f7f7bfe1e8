import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../client/follow/server-clock.ts';
import { ManualPlatform } from '../support/manual-platform.ts';

const SERVER_MS = 1_700_000_000_000;

const asking = (platform: ManualPlatform, offsetMs: () => number, wayMs: () => number) => async () => {
  await way(platform, wayMs());
  const serverMs = platform.nowMs() + offsetMs();
  await way(platform, wayMs());
  return Math.floor(serverMs);
};

const way = (platform: ManualPlatform, ms: number): Promise<void> =>
  new Promise((resolve) => void platform.after(ms, resolve));

/** Time passes until the act has ended. */
const during = async (platform: ManualPlatform, act: Promise<void>): Promise<void> => {
  let isOver = false;
  act.then(() => {
    isOver = true;
  });
  while (!isOver) await platform.pass(1);
};

it('knows nothing before the first answer', () => {
  expect(new ServerClock(new ManualPlatform()).nowMs()).toBeUndefined();
});

describe('with up to 200 ms of jitter each way', () => {
  it('is off by less than 150 ms in 95 of 100 measurements', { timeout: 60_000 }, async () => {
    const errors: number[] = [];
    for (let seed = 1; seed <= 100; seed += 1) {
      const platform = new ManualPlatform(seed);
      const clock = new ServerClock(platform);
      // What the client's own clock says (three days off, or anything) appears nowhere: there is only steady time.
      await during(
        platform,
        clock.measure(
          asking(
            platform,
            () => SERVER_MS,
            () => 20 + Math.floor(platform.random() * 200),
          ),
        ),
      );
      errors.push(Math.abs((clock.nowMs() ?? 0) - platform.nowMs() - SERVER_MS));
    }
    const p95 = errors.sort((a, b) => a - b)[94] ?? Number.NaN;
    expect(p95).toBeLessThan(150);
    // The median of a few is far better than the promise, and than one probe.
    expect(errors[49]).toBeLessThan(40);
  });

  it('gets better with the beats', async () => {
    const measured: number[] = [];
    const beaten: number[] = [];
    for (let seed = 1; seed <= 100; seed += 1) {
      const platform = new ManualPlatform(seed);
      const clock = new ServerClock(platform);
      const ask = asking(
        platform,
        () => SERVER_MS,
        () => 20 + Math.floor(platform.random() * 200),
      );
      const errorMs = (): number => Math.abs((clock.nowMs() ?? 0) - platform.nowMs() - SERVER_MS);
      await during(platform, clock.measure(ask));
      measured.push(errorMs());
      for (let beat = 0; beat < 8; beat += 1) await during(platform, clock.check(ask));
      beaten.push(errorMs());
    }
    const mean = (errors: readonly number[]): number => errors.reduce((sum, one) => sum + one, 0) / errors.length;
    expect(mean(beaten)).toBeLessThan(0.9 * mean(measured));
  });
});

it('is exact when both ways take equally long', async () => {
  const platform = new ManualPlatform();
  const clock = new ServerClock(platform);
  await during(
    platform,
    clock.measure(
      asking(
        platform,
        () => SERVER_MS,
        () => 80,
      ),
    ),
  );
  expect(clock.nowMs()).toBe(platform.nowMs() + SERVER_MS);
});

it('measures anew when steady time stood still, as it does on a device that sleeps', async () => {
  const platform = new ManualPlatform();
  const clock = new ServerClock(platform);
  let offsetMs = SERVER_MS;
  const ask = asking(
    platform,
    () => offsetMs,
    () => 50,
  );
  await during(platform, clock.measure(ask));
  offsetMs += 3_600_000;
  await during(platform, clock.check(ask));
  expect(clock.nowMs()).toBe(platform.nowMs() + offsetMs);
});

it('keeps what it knew when nobody answers', async () => {
  const platform = new ManualPlatform();
  const clock = new ServerClock(platform);
  await during(
    platform,
    clock.measure(
      asking(
        platform,
        () => SERVER_MS,
        () => 10,
      ),
    ),
  );
  await clock.check(async () => undefined);
  expect(clock.nowMs()).toBe(platform.nowMs() + SERVER_MS);
});
