import { describe, expect, it, vi } from 'vitest';
import type { Delivery } from '../../../server/timer/index/due-index.ts';
import { beginGeneration } from '../../support/engine/due-index.ts';
import {
  entry,
  HOUR_MS,
  handOffAll,
  indexMaker,
  type MakeIndex,
  NOW_MS,
  never,
  oldestOf,
  ownersOfEachShard,
} from './index-scene.ts';

/** The contract of every `DeliveryQueue`. */
export const deliveryQueueContract = (name: string, make: MakeIndex): void => {
  describe(`DeliveryQueue: ${name}`, () => {
    const makeIndex = indexMaker(make);

    it('takes a delivery as outstanding from the hand-off to the ack', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS)]);
      expect(oldestOf(await index.queue.oldestUnackedMs())).toBe(0);
      await handOffAll(index);
      await vi.waitFor(async () => expect(oldestOf(await index.queue.oldestUnackedMs())).toBeGreaterThan(0));
      const deliveries = await index.queue.receive(10, 0, never);
      expect(deliveries).toHaveLength(1);
      expect(await index.queue.receive(10, 0, never)).toHaveLength(0);
      expect(await index.queue.reclaim(HOUR_MS, 10)).toEqual([]);
      const outstandingMs = oldestOf(await index.queue.oldestUnackedMs());
      expect(outstandingMs).toBeGreaterThan(0);
      // Postgres is asked for what was due so long ago, and takes whole milliseconds.
      expect(outstandingMs).toBe(Math.floor(outstandingMs));
      await index.queue.ack(deliveries);
      expect(oldestOf(await index.queue.oldestUnackedMs())).toBe(0);
    });

    it('knows the shard of an owner, and of each shard how long its oldest delivery is outstanding', async () => {
      const index = await makeIndex();
      const owners = ownersOfEachShard(index);
      await index.orders.put(owners.map((owner, at) => entry(at + 1, NOW_MS, 1, owner)));
      for (const [shard, owner] of owners.entries()) {
        await index.handOffs.handOff(shard, NOW_MS, 10);
        await vi.waitFor(async () => expect((await index.queue.oldestUnackedMs())[shard]).toBeGreaterThan(0));
        const others = (await index.queue.oldestUnackedMs()).filter((_, at) => at !== shard);
        expect(others).toEqual(Array.from({ length: index.inUse.shards - 1 }, () => 0));
        const deliveries = await index.queue.receive(10, 0, never);
        expect(deliveries.map((delivery) => [delivery.shard, delivery.timers[0]?.owner])).toEqual([[shard, owner]]);
        await index.queue.ack(deliveries);
        expect((await index.queue.oldestUnackedMs())[shard]).toBe(0);
      }
    });

    it('wakes a receiver when a delivery comes, long before its wait is over', async () => {
      const index = await makeIndex();
      await index.queue.receive(10, 0, never);
      const received = index.queue.receive(10, HOUR_MS, never);
      await index.orders.put([entry(1, NOW_MS)]);
      await handOffAll(index);
      expect(await received).toHaveLength(1);
    });

    it('lets a waiting receiver go when it is told to stop', async () => {
      const index = await makeIndex();
      const stop = new AbortController();
      const received = index.queue.receive(10, HOUR_MS, stop.signal);
      stop.abort();
      expect(await received).toEqual([]);
    });

    it('acks nothing of one generation in another', async () => {
      const index = await makeIndex();
      const deliver = async (): Promise<readonly Delivery[]> => {
        await index.orders.put([entry(1, NOW_MS)]);
        await handOffAll(index);
        return index.queue.receive(10, 0, never);
      };
      const before = await deliver();
      await beginGeneration(index, { number: 7, shards: index.inUse.shards });
      const after = await deliver();
      expect(after).toHaveLength(1);
      await index.queue.extendLeases(before);
      await index.queue.ack(before.map((delivery) => ({ ...delivery, shard: after[0]?.shard ?? 0 })));
      await vi.waitFor(async () => expect(oldestOf(await index.queue.oldestUnackedMs())).toBeGreaterThan(0));
      await index.queue.ack(after);
      expect(oldestOf(await index.queue.oldestUnackedMs())).toBe(0);
    });
  });
};
