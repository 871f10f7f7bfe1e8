import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { shardOf } from '../../../../server/adapter/redis/index/redis-keys.ts';
import { tries } from '../../../proof/table/tries.ts';
import { beginInUse, startRedisIndex } from '../../../support/engine/due-index.ts';
import { prove } from '../../../support/properties/prove.ts';
import { type RedisServer, startRedis } from '../../../support/redis/redis-server.ts';

const SHARDS = tries({ test: 256, proof: 1_024 });
const NOW_MS = 1_790_000_000_000;
const never = new AbortController().signal;

describe.skipIf(inject('redisUrl') === '')(`an index of ${SHARDS} shards`, () => {
  let server: RedisServer;
  let admin: Redis;
  let made: Awaited<ReturnType<typeof startRedisIndex>>;
  beforeEach(async () => {
    server = await startRedis();
    admin = new Redis(server.url);
    made = await startRedisIndex({ url: server.url, shards: SHARDS });
    // The start has tried each command.
    await admin.config('RESETSTAT');
  });
  afterEach(async () => {
    await made.dispose();
    admin.disconnect();
    await server.stop();
  });
  /** How often a command was called, on its own or in scripts. */
  const callsOf = async (command: string): Promise<number> =>
    Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await admin.info('commandstats'))?.[1] ?? 0);
  /** All that the loops of a process ask of the streams, at once. */
  const askAll = async (): Promise<void> => {
    const { queue, handOffs } = made.index;
    await Promise.all([
      queue.receive(100, 0, never),
      queue.receive(100, 0, never),
      queue.reclaim(5000, 500),
      queue.forgetConsumers(600_000),
      queue.oldestUnackedMs(),
      handOffs.handOff(0, NOW_MS, 500),
    ]);
  };

  it('opens its streams with a call for each, whoever hears first that they are missing', async () => {
    await askAll();
    expect(await callsOf('xgroup\\|create')).toBe(SHARDS);
    await askAll();
    expect(await callsOf('xgroup\\|create')).toBe(SHARDS);
  });

  it('opens them once more after everything was lost', async () => {
    await askAll();
    await admin.flushall();
    await beginInUse(made.index);
    await askAll();
    expect(await callsOf('xgroup\\|create')).toBe(2 * SHARDS);
  });

  it('has a delivery in every shard read, and acked, as one of few shards does', async (context) => {
    const owners = Array.from({ length: 4 * SHARDS }, (_, at) => `player-${at}`);
    await made.index.orders.put(
      owners.map((owner, at) => ({ timerId: `${at + 1}`, owner, fireAtMs: NOW_MS, revision: 1 })),
    );
    for (let shard = 0; shard < SHARDS; shard += 1) await made.index.handOffs.handOff(shard, NOW_MS, 500);
    const received = await made.index.queue.receive(10_000, 0, never);
    expect(received.flatMap(({ timers }) => timers.map(({ owner }) => owner)).toSorted()).toEqual(owners.toSorted());
    await made.index.queue.ack(received);
    expect(await made.index.queue.oldestUnackedMs()).toEqual(Array.from({ length: SHARDS }, () => 0));
    prove(context, { row: 31, tries: SHARDS, of: 'shards, opened and refilled' });
  });
});

it.each([
  ['player-1', (at: number) => `player-${at}`],
  ['guest:uuid', (at: number) => `guest:00000000-0000-4000-8000-${String(at).padStart(12, '0')}`],
  ['a bare number', (at: number) => String(at)],
])('spreads 16,000 owners named like %s over 16 shards, each within a tenth of its share', (_name, ownerOf) => {
  const counts = Array.from({ length: 16 }, () => 0);
  for (let at = 0; at < 16_000; at += 1) {
    const shard = shardOf(ownerOf(at), 16);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(900);
  expect(Math.max(...counts)).toBeLessThan(1100);
});

it('keeps the arrangement that stands in every Redis: these owners have these shards', () => {
  expect(['ann', 'bob', 'guest:1', ''].map((owner) => shardOf(owner, 16))).toMatchInlineSnapshot(`
    [
      5,
      6,
      1,
      11,
    ]
  `);
});
