import { expect, it } from 'vitest';
import { Availability } from '../../../server/adapter/redis/availability.ts';
import { ManualClock } from '../../../server/timer/manual-clock.ts';

const SOON_MS = 1000;

it('finds out by itself that a server is back, and asks no more then', async () => {
  const clock = new ManualClock(0);
  let [isUp, pings] = [false, 0];
  const availability = new Availability({
    clock,
    probe: async () => {
      pings += 1;
      if (!isUp) throw new Error('away');
    },
  });
  const pass = async (): Promise<void> => {
    clock.advance(SOON_MS);
    await new Promise((resolve) => setImmediate(resolve));
  };
  availability.set(true);
  expect(availability.isAvailable).toBe(true);
  availability.set(false);
  await pass();
  expect(availability.isAvailable).toBe(false);
  isUp = true;
  await pass();
  expect(availability.isAvailable).toBe(true);
  const asked = pings;
  await pass();
  expect(pings).toBe(asked);
});

it('asks no more when it is stopped', async () => {
  const clock = new ManualClock(0);
  let pings = 0;
  const probe = async (): Promise<void> => {
    pings += 1;
  };
  const availability = new Availability({ clock, probe });
  availability.set(false);
  availability.stop();
  clock.advance(SOON_MS);
  expect(pings).toBe(0);
});
