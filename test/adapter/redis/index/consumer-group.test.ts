import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { random } from '../../../../server/adapter/machine/random.ts';
import type { DueIndex } from '../../../../server/timer/index/due-index.ts';
import { startRedisIndex } from '../../../support/engine/due-index.ts';

const url = inject('redisUrl');
const NOW_MS = 1_790_000_000_000;
const never = new AbortController().signal;

type Started = Awaited<ReturnType<typeof startRedisIndex>>;

describe.skipIf(url === '')('the consumer group of many processes', () => {
  let prefix: string;
  let first: Started;
  let second: Started;
  beforeEach(async () => {
    prefix = random.uniqueName();
    first = await startRedisIndex({ url, prefix, shards: 1 });
    second = await startRedisIndex({ url, prefix, shards: 1 });
  });
  afterEach(async () => {
    await first.dispose();
    await second.dispose();
  });
  const stream = () => `{${prefix}:1:0}handoff`;
  const deliver = async (count: number): Promise<void> => {
    const timer = (at: number) => ({ timerId: String(at + 1), owner: 'ann', fireAtMs: NOW_MS, revision: 1 });
    await first.index.orders.put(Array.from({ length: count }, (_, at) => timer(at)));
    await first.index.handOffs.handOff(0, NOW_MS, 1000);
  };
  /** As if that long had passed since it was received. */
  const age = async (index: Started, idleMs: number): Promise<void> => {
    const pending = (await index.client.xpending(stream(), 'kibble', '-', '+', 1000)) as [string, string][];
    for (const [id, consumer] of pending) {
      await index.client.call('XCLAIM', stream(), 'kibble', consumer, 0, id, 'IDLE', idleMs, 'JUSTID');
    }
  };
  const consumers = async (): Promise<number> =>
    ((await first.client.xinfo('CONSUMERS', stream(), 'kibble')) as unknown[]).length;
  const idsOf = (deliveries: Awaited<ReturnType<DueIndex['queue']['receive']>>): readonly string[] =>
    deliveries.flatMap(({ timers }) => timers.map(({ timerId }) => timerId));

  it('gives each delivery to one of them', async () => {
    await deliver(200);
    const halves = [
      await first.index.queue.receive(100, 0, never),
      await second.index.queue.receive(1000, 0, never),
    ].map(idsOf);
    expect(halves.flat()).toHaveLength(200);
    expect(new Set(halves.flat()).size).toBe(200);
  });

  it('leaves a process that lives what it holds, and takes what lay idle', async () => {
    await deliver(20);
    await first.index.queue.receive(100, 0, never);
    expect(await second.index.queue.reclaim(5000, 1000)).toEqual([]);
    await age(first, 6000);
    expect(idsOf(await second.index.queue.reclaim(5000, 1000))).toHaveLength(20);
  });

  it('does not take what its process says it works on still, and a late word takes nothing back', async () => {
    await deliver(20);
    const held = await first.index.queue.receive(100, 0, never);
    await age(first, 6000);
    await first.index.queue.extendLeases(held);
    expect(await second.index.queue.reclaim(5000, 1000)).toEqual([]);
    await age(first, 6000);
    const taken = await second.index.queue.reclaim(5000, 1000);
    expect(idsOf(taken)).toHaveLength(20);
    await age(first, 6000);
    await first.index.queue.extendLeases(held);
    expect(await second.index.queue.reclaim(5000, 1000)).toHaveLength(taken.length);
  });

  it('finds an idle delivery behind many that are not, in one call', async () => {
    await deliver(1000);
    const held = await first.index.queue.receive(10_000, 0, never);
    await age(first, 6000);
    await first.index.queue.extendLeases(held.slice(0, -1));
    expect(idsOf(await second.index.queue.reclaim(5000, 10))).toHaveLength(10);
  });

  it('forgets whoever holds nothing and has long been silent, nobody else', async () => {
    await deliver(10);
    await first.index.queue.receive(100, 0, never);
    await first.client.xgroup('CREATECONSUMER', stream(), 'kibble', 'gone');
    await first.index.queue.forgetConsumers(3_600_000);
    expect(await consumers()).toBe(2);
    await second.index.queue.forgetConsumers(0);
    expect(await consumers()).toBe(1);
    expect(idsOf(await second.index.queue.reclaim(0, 100))).toHaveLength(10);
  });

  it('leaves nothing behind in group or stream after the ack', async () => {
    await deliver(50);
    await first.index.queue.ack(await first.index.queue.receive(1000, 0, never));
    expect(await first.client.xlen(stream())).toBe(0);
    expect(((await first.client.xpending(stream(), 'kibble')) as [number])[0]).toBe(0);
  });

  it.each(['receive', 'reclaim', 'hold', 'forgetConsumers', 'ack'] as const)(
    'survives that everything was lost before %s',
    async (method) => {
      await deliver(10);
      const held = await first.index.queue.receive(100, 0, never);
      await first.client.del(stream());
      const calls = {
        receive: () => first.index.queue.receive(10, 0, never),
        reclaim: () => first.index.queue.reclaim(0, 10),
        hold: () => first.index.queue.extendLeases(held),
        forgetConsumers: () => first.index.queue.forgetConsumers(0),
        ack: () => first.index.queue.ack(held),
      };
      await calls[method]();
      await deliver(10);
      const again = [
        ...(await second.index.queue.receive(100, 1000, never)),
        ...(await first.index.queue.receive(100, 0, never)),
      ];
      expect(idsOf(again)).toHaveLength(10);
    },
  );
});
