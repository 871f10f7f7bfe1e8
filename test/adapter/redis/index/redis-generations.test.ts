import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { IndexEntry } from '../../../../server/timer/model/index-entry.ts';
import { beginGeneration, countOf, startRedisIndex } from '../../../support/engine/due-index.ts';
import { type RedisCluster, startRedisCluster } from '../../../support/redis/redis-cluster.ts';

const NOW_MS = 1_790_000_000_000;
const never = new AbortController().signal;

const entries = (count: number): readonly IndexEntry[] =>
  Array.from({ length: count }, (_, at) => ({
    timerId: String(at + 1),
    owner: `player-${at % 97}`,
    fireAtMs: NOW_MS + (at % 5),
    revision: 1,
  }));

const generationsIn = (name: string, urlOf: () => string): void => {
  describe(`generations of the index in ${name}`, () => {
    let made: Awaited<ReturnType<typeof startRedisIndex>>;
    beforeEach(async () => {
      made = await startRedisIndex({ url: urlOf(), shards: 8 });
    });
    afterEach(() => made.dispose());
    const keys = async (): Promise<readonly string[]> => {
      const { client, prefix } = made;
      const nodes = 'nodes' in client ? client.nodes('master') : [client];
      return (await Promise.all(nodes.map((node) => node.keys(`{${prefix}:*`)))).flat();
    };

    it('share no key, whatever their shards', async () => {
      const { index } = made;
      await index.orders.put(entries(300));
      const before = new Set(await keys());
      await beginGeneration(index, { number: 2, shards: 3 });
      await index.orders.put(entries(300));
      expect((await keys()).filter((key) => !before.has(key))).toHaveLength(3 + 3 + 97);
      expect(await countOf(index)).toBe(300);
    });

    it('that are over are dropped to the last key, in bounded steps, and nothing else is', async () => {
      const { index } = made;
      await index.orders.put(entries(3000));
      for (let shard = 0; shard < 8; shard += 1) await index.handOffs.handOff(shard, NOW_MS, 100);
      await index.queue.receive(10, 0, never);
      await beginGeneration(index, { number: 2, shards: 2 });
      await index.orders.put(entries(50));
      const own = (await keys()).filter((key) => key.includes(':2:'));
      const steps: number[] = [];
      for (let gone = -1; gone !== 0; ) {
        gone = await index.marks.drop({ number: 1, shards: 8 }, 400);
        steps.push(gone);
      }
      // The streams and the marks of eight shards go in the first step.
      expect(Math.max(...steps)).toBeLessThanOrEqual(400 + 16);
      expect((await keys()).toSorted()).toEqual(own.toSorted());
      expect(await countOf(index)).toBe(50);
    });

    it('are left alone where one that is over is dropped while somebody puts into it', async () => {
      const { index } = made;
      await index.orders.put(entries(10));
      await index.marks.drop({ number: 1, shards: 8 }, 8000);
      expect(await index.orders.put(entries(10))).toBe(false);
      await index.handOffs.handOff(0, NOW_MS + 1000, 10);
      await index.queue.receive(10, 0, never);
      await index.queue.reclaim(0, 10);
      await index.queue.forgetConsumers(0);
      expect(await index.marks.raisePulse()).toBeUndefined();
      expect(await index.marks.drop({ number: 1, shards: 8 }, 8000)).toBe(0);
      expect(await keys()).toEqual([]);
    });

    it('count a pulse, and are not whole where one shard is behind or was lost', async () => {
      const { index, client, prefix } = made;
      expect([await index.marks.raisePulse(), await index.marks.raisePulse()]).toEqual([1, 2]);
      expect([await index.marks.isWhole(2), await index.marks.isWhole(3)]).toEqual([true, false]);
      await client.set(`{${prefix}:1:5}mark`, 1);
      expect(await index.marks.isWhole(2)).toBe(false);
      // A shard that is behind stays behind, because each pulse rises by one.
      expect(await index.marks.raisePulse()).toBe(2);
      expect(await index.marks.isWhole(3)).toBe(false);
      await client.del(`{${prefix}:1:5}mark`);
      expect(await index.marks.isWhole(0)).toBe(false);
      expect(await index.marks.raisePulse()).toBeUndefined();
    });

    it('tell each other of a later one', async () => {
      const { index, prefix } = made;
      const other = await startRedisIndex({ url: urlOf(), prefix, isBegun: false });
      let told = 0;
      index.inUse.onNewer(() => {
        told += 1;
      });
      await beginGeneration(other.index, { number: 2, shards: 4 });
      // A hint may be lost while a subscriber of the Cluster connects; each put that is the next one gives another.
      let earlierMs = 0;
      await vi.waitFor(async () => {
        earlierMs += 1;
        const next = entries(1).map((entry) => ({
          ...entry,
          fireAtMs: entry.fireAtMs - earlierMs,
          revision: 1 + earlierMs,
        }));
        await other.index.orders.put(next);
        expect(told).toBeGreaterThan(0);
      }, 10_000);
      await other.dispose();
    });
  });
};

describe.skipIf(inject('redisUrl') === '')('with Redis', () => {
  generationsIn('one Redis', () => inject('redisUrl'));

  describe('with three masters', () => {
    let cluster: RedisCluster;
    beforeAll(async () => {
      cluster = await startRedisCluster();
    });
    afterAll(() => cluster.stop());
    generationsIn('a Cluster', () => cluster.url);
  });
});
