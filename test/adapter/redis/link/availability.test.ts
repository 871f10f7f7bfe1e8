import { expect, it } from 'vitest';
import { Availability } from '../../../../server/adapter/redis/link/availability.ts';
import { type RedisTrouble, RedisUnfit } from '../../../../server/adapter/redis/link/redis-trouble.ts';
import { ManualClock } from '../../../../server/runtime/manual-clock.ts';

const SOON_MS = 1000;
const EVICTS: RedisTrouble = { code: 'redis/evicts', message: 'it would evict timers' };

const watched = () => {
  const clock = new ManualClock(0);
  const server: { state: 'up' | 'evicts' | 'away'; looks: number } = { state: 'up', looks: 0 };
  const reported: (string | undefined)[] = [];
  const availability = new Availability({
    clock,
    examine: async () => {
      server.looks += 1;
      if (server.state === 'away') throw new Error('away');
      if (server.state === 'evicts') throw new RedisUnfit(EVICTS);
    },
    report: (trouble: RedisTrouble | undefined) => reported.push(trouble?.code),
  });
  const pass = async (byMs = SOON_MS): Promise<void> => {
    clock.advance(byMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { availability, server, reported, pass };
};

it('finds out by itself that a server is back, and leaves it in peace then', async () => {
  const { availability, server, reported, pass } = watched();
  availability.found();
  server.state = 'away';
  availability.lost(new Error('away'));
  expect(availability.isAvailable).toBe(false);
  await pass();
  expect(availability.isAvailable).toBe(false);
  server.state = 'up';
  await pass();
  expect(availability.isAvailable).toBe(true);
  expect(new Set(reported)).toEqual(new Set([undefined, 'redis/away']));
  const { looks } = server;
  await pass();
  expect(server.looks).toBe(looks);
});

it('has a server that failed a single command back at once', async () => {
  const { availability, pass } = watched();
  availability.found();
  availability.lost(new Error('slow'));
  expect(availability.isAvailable).toBe(false);
  await pass(0);
  expect(availability.isAvailable).toBe(true);
});

it('finds out that a server that does its work must not be used any more, and that it may be again', async () => {
  const { availability, server, pass } = watched();
  availability.found();
  server.state = 'evicts';
  await pass(60_000);
  expect(availability).toMatchObject({ isAvailable: false, trouble: { code: 'redis/evicts' } });
  server.state = 'up';
  await pass(60_000);
  expect(availability.trouble).toBe(undefined);
});

it('asks no more when it is stopped', async () => {
  const { availability, server, pass } = watched();
  availability.lost(new Error('away'));
  availability.stop();
  await pass();
  expect(server.looks).toBe(0);
});
