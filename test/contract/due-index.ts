import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Delivery, DueIndex } from '../../server/timer/index/due-index.ts';
import type { IndexEntry } from '../../server/timer/model/index-entry.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { type IndexUnderTest, takeDue } from '../../testing/due-index-model.ts';
import { beginGeneration } from '../support/engine/begin-generation.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

const entry = (timerId: number, fireAtMs: number, revision = 1, owner = `player-${timerId % 3}`): IndexEntry => ({
  timerId: String(timerId),
  owner,
  fireAtMs,
  revision,
});

const nextFireAtMs = async (index: DueIndex): Promise<number | undefined> => {
  const heads = await Promise.all(
    Array.from({ length: index.shards }, (_, shard) => index.handOff(shard, NOW_MS - HOUR_MS, 1)),
  );
  const known = heads.flatMap((head) => head.nextFireAtMs ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
};

const oldestOf = (ages: readonly number[]): number => Math.max(0, ...ages);

/** Of each shard an owner whose timers are in it. */
const ownersOfEachShard = (index: DueIndex): readonly string[] => {
  const owners = new Map<number, string>();
  for (let at = 0; owners.size < index.shards; at += 1) owners.set(index.shardOf(`owner-${at}`), `owner-${at}`);
  return Array.from({ length: index.shards }, (_, shard) => owners.get(shard) ?? '');
};

/** What every due index owes the engine. */
export const dueIndexContract = (name: string, make: () => Promise<IndexUnderTest>): void => {
  describe(`DueIndex: ${name}`, () => {
    const disposals: (() => Promise<void>)[] = [];
    const makeIndex = async (): Promise<DueIndex> => {
      const { index, dispose } = await make();
      disposals.push(dispose);
      return index;
    };
    afterEach(async () => {
      for (const dispose of disposals.splice(0)) await dispose();
    });

    it('hands off nothing one millisecond early, and the timer at its very millisecond', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS, 2047)]);
      expect(await takeDue(index, NOW_MS - 1)).toEqual([]);
      expect(await takeDue(index, NOW_MS)).toEqual(['1']);
    });

    it('hands one owner’s timers off in due order', async () => {
      const index = await makeIndex();
      const times = [5, 1, 4, 2, 3];
      await index.put(times.map((time) => entry(time, NOW_MS + time, 1, 'ann')));
      expect(await takeDue(index, NOW_MS + 10)).toEqual(['1', '2', '3', '4', '5']);
    });

    it('answers the fire time of the new head after a hand-off', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS, 1, 'ann'), entry(2, NOW_MS + 7, 3, 'ann')]);
      const answers = [];
      for (let shard = 0; shard < index.shards; shard += 1) answers.push(await index.handOff(shard, NOW_MS, 1));
      expect(answers.flatMap(({ moved, nextFireAtMs: next }) => (moved > 0 ? [next] : []))).toEqual([NOW_MS + 7]);
      await index.remove([{ timerId: '2', owner: 'ann', revision: 3 }]);
      expect(await nextFireAtMs(index)).toBeUndefined();
    });

    it('does not let a put of an older revision replace a newer one', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS + HOUR_MS, 5)]);
      await index.put([entry(1, NOW_MS, 4)]);
      expect(await nextFireAtMs(index)).toBe(NOW_MS + HOUR_MS);
    });

    it('takes the newest of several entries for one timer in one put', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS, 4), entry(1, NOW_MS + 2, 6), entry(1, NOW_MS + 1, 5)]);
      expect(await nextFireAtMs(index)).toBe(NOW_MS + 2);
      expect(await index.count()).toBe(1);
    });

    it('lets an equal revision replace, so that a timer can be put back', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS, 4)]);
      await index.put([entry(1, NOW_MS + 9, 4)]);
      expect(await nextFireAtMs(index)).toBe(NOW_MS + 9);
    });

    it('knows revision 2048 as newer than 2047, though the fence has only eleven bits', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS + 5, 2047)]);
      await index.put([entry(1, NOW_MS + 6, 2048)]);
      await index.put([entry(1, NOW_MS + 7, 2047)]);
      expect(await nextFireAtMs(index)).toBe(NOW_MS + 6);
    });

    it('does not let a removal of an older revision remove a newer entry', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS, 3, 'ann')]);
      await index.remove([{ timerId: '1', owner: 'ann', revision: 2 }]);
      expect(await index.listByOwner('ann')).toEqual([{ timerId: '1', fireAtMs: NOW_MS }]);
      await index.remove([{ timerId: '1', owner: 'ann', revision: 4 }]);
      expect(await index.listByOwner('ann')).toEqual([]);
      expect(await index.count()).toBe(0);
    });

    it('does not mind timers that it does not know', async () => {
      const index = await makeIndex();
      await index.remove([{ timerId: '404', owner: 'nobody', revision: 1 }]);
      expect(await index.listByOwner('nobody')).toEqual([]);
    });

    it('keeps owners apart whose names hold colons and spaces', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS, 1, 'guest:a b'), entry(12, NOW_MS, 1, 'guest'), entry(3, NOW_MS, 1, '3:x')]);
      expect(await index.listByOwner('guest:a b')).toEqual([{ timerId: '1', fireAtMs: NOW_MS }]);
      for (let shard = 0; shard < index.shards; shard += 1) await index.handOff(shard, NOW_MS, 10);
      const timers = (await index.receive(100, 0, never)).flatMap((delivery) => delivery.timers);
      expect(timers).toHaveLength(3);
      expect(timers).toContainEqual({ timerId: '1', owner: 'guest:a b' });
      expect(timers).toContainEqual({ timerId: '3', owner: '3:x' });
      expect(await index.listByOwner('guest:a b')).toEqual([]);
    });

    it('takes a delivery as outstanding from the hand-off to the ack', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS)]);
      expect(oldestOf(await index.oldestUnackedMs())).toBe(0);
      for (let shard = 0; shard < index.shards; shard += 1) await index.handOff(shard, NOW_MS, 10);
      await vi.waitFor(async () => expect(oldestOf(await index.oldestUnackedMs())).toBeGreaterThan(0));
      const deliveries = await index.receive(10, 0, never);
      expect(deliveries).toHaveLength(1);
      expect(await index.receive(10, 0, never)).toHaveLength(0);
      expect(oldestOf(await index.oldestUnackedMs())).toBeGreaterThan(0);
      await index.ack(deliveries);
      expect(oldestOf(await index.oldestUnackedMs())).toBe(0);
    });

    it('knows the shard of an owner, and of each shard how long its oldest delivery is outstanding', async () => {
      const index = await makeIndex();
      const owners = ownersOfEachShard(index);
      await index.put(owners.map((owner, at) => entry(at + 1, NOW_MS, 1, owner)));
      for (const [shard, owner] of owners.entries()) {
        await index.handOff(shard, NOW_MS, 10);
        await vi.waitFor(async () => expect((await index.oldestUnackedMs())[shard]).toBeGreaterThan(0));
        const others = (await index.oldestUnackedMs()).filter((_, at) => at !== shard);
        expect(others).toEqual(Array.from({ length: index.shards - 1 }, () => 0));
        const deliveries = await index.receive(10, 0, never);
        expect(deliveries.map((delivery) => [delivery.shard, delivery.timers[0]?.owner])).toEqual([[shard, owner]]);
        await index.ack(deliveries);
        expect((await index.oldestUnackedMs())[shard]).toBe(0);
      }
    });

    it('wakes a receiver when a delivery comes, long before its wait is over', async () => {
      const index = await makeIndex();
      await index.receive(10, 0, never);
      const received = index.receive(10, HOUR_MS, never);
      await index.put([entry(1, NOW_MS)]);
      for (let shard = 0; shard < index.shards; shard += 1) await index.handOff(shard, NOW_MS, 10);
      expect(await received).toHaveLength(1);
    });

    it('lets a waiting receiver go when it is told to stop', async () => {
      const index = await makeIndex();
      const stop = new AbortController();
      const received = index.receive(10, HOUR_MS, stop.signal);
      stop.abort();
      expect(await received).toEqual([]);
    });

    it('tells when it fires those that it has, also ready and late ones', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS - HOUR_MS), entry(2, NOW_MS + 5, 3), entry(3, NOW_MS + 40 * 24 * HOUR_MS)]);
      await index.handOff(0, NOW_MS - 2 * HOUR_MS, 1);
      const asked = [1, 2, 3, 4].map((timerId) => ({ timerId: String(timerId), owner: `player-${timerId % 3}` }));
      const times = await index.fireTimes(asked);
      expect([...times].sort()).toEqual([
        ['1', NOW_MS - HOUR_MS],
        ['2', NOW_MS + 5],
        ['3', NOW_MS + 40 * 24 * HOUR_MS],
      ]);
      expect((await index.fireTimes([])).size).toBe(0);
    });

    it('lists the entries of any time, near and far, in the past and at its edges', async () => {
      const index = await makeIndex();
      const times = [-HOUR_MS, -1, 0, 1, 255, 256, 257, 65_536, HOUR_MS, 24 * HOUR_MS, 400 * 24 * HOUR_MS];
      await index.put(times.map((delayMs, at) => entry(at + 1, NOW_MS + delayMs)));
      for (const fromMs of times) {
        for (const beforeMs of times) {
          const listed = await index.between(NOW_MS + fromMs, NOW_MS + beforeMs, 100);
          const wanted = times.filter((delayMs) => delayMs >= fromMs && delayMs < beforeMs);
          expect(listed.map(({ fireAtMs }) => fireAtMs - NOW_MS).sort((a, b) => a - b)).toEqual(wanted);
        }
      }
    });

    it('lists the entries of a time, each with enough of its revision to remove it and nothing newer', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS, 4095), entry(2, NOW_MS + 5, 3), entry(3, NOW_MS + 9, 1)]);
      const listed = await index.between(NOW_MS, NOW_MS + 9, 100);
      const times = listed.map(({ timerId, owner, fireAtMs }) => [timerId, owner, fireAtMs]).sort();
      expect(times).toEqual([
        ['1', 'player-1', NOW_MS],
        ['2', 'player-2', NOW_MS + 5],
      ]);
      await index.put([entry(2, NOW_MS + 6, 4)]);
      await index.remove(listed);
      expect((await index.between(0, LATEST_MS, 100)).map(({ timerId }) => timerId).sort()).toEqual(['2', '3']);
    });

    it('tells of an earlier head', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS + HOUR_MS, 1, 'ann')]);
      const told = new Promise<number>((resolve) => {
        index.onEarlierHead((_shard, fireAtMs) => fireAtMs === NOW_MS && resolve(fireAtMs));
      });
      await index.put([entry(2, NOW_MS, 1, 'ann')]);
      expect(await told).toBe(NOW_MS);
    });

    it('is whole only after a rebuild was finished', async () => {
      const index = await makeIndex();
      index.use({ number: 7, shards: index.maxShards });
      expect(await index.isWhole(0)).toBe(false);
      expect(await index.beginRebuild(7)).toBe(true);
      expect(await index.isWhole(0)).toBe(false);
      expect(await index.finishRebuild(7)).toBe(true);
      expect(await index.isWhole(0)).toBe(true);
      expect(index.shards).toBe(index.maxShards);
    });

    it('starts each generation empty, and not whole', async () => {
      const index = await makeIndex();
      await index.put([entry(1, NOW_MS, 1, 'ann')]);
      await beginGeneration(index, { number: 7, shards: 1 });
      expect(await index.listByOwner('ann')).toEqual([]);
      expect(await index.counts()).toEqual([0]);
      index.use({ number: 8, shards: 1 });
      expect(await index.isWhole(0)).toBe(false);
    });

    it('does not take the end of one rebuild for that of a later one', async () => {
      const index = await makeIndex();
      index.use({ number: 7, shards: 1 });
      await index.beginRebuild(7);
      index.use({ number: 8, shards: 1 });
      expect(await index.beginRebuild(7)).toBe(false);
      expect(await index.beginRebuild(8)).toBe(true);
      expect(await index.finishRebuild(7)).toBe(false);
      expect(await index.isWhole(0)).toBe(false);
    });

    it('takes no entries before a generation is begun, nor after it was retired, and says so', async () => {
      const index = await makeIndex();
      index.use({ number: 7, shards: 1 });
      expect(await index.put([entry(1, NOW_MS)])).toBe(false);
      await index.beginRebuild(7);
      expect(await index.put([entry(1, NOW_MS)])).toBe(true);
      await index.retire(6);
      expect(await index.put([entry(2, NOW_MS)])).toBe(true);
      await index.retire(7);
      expect(await index.put([entry(3, NOW_MS)])).toBe(false);
      expect(await index.count()).toBe(2);
      expect(await index.finishRebuild(7)).toBe(false);
    });

    it('acks nothing of one generation in another', async () => {
      const index = await makeIndex();
      const deliver = async (): Promise<readonly Delivery[]> => {
        await index.put([entry(1, NOW_MS)]);
        for (let shard = 0; shard < index.shards; shard += 1) await index.handOff(shard, NOW_MS, 10);
        return index.receive(10, 0, never);
      };
      const before = await deliver();
      await beginGeneration(index, { number: 7, shards: index.shards });
      const after = await deliver();
      expect(after).toHaveLength(1);
      await index.hold(before);
      await index.ack(before.map((delivery) => ({ ...delivery, shard: after[0]?.shard ?? 0 })));
      await vi.waitFor(async () => expect(oldestOf(await index.oldestUnackedMs())).toBeGreaterThan(0));
      await index.ack(after);
      expect(oldestOf(await index.oldestUnackedMs())).toBe(0);
    });

    it('keeps what is put while it is rebuilt', async () => {
      const index = await makeIndex();
      index.use({ number: 7, shards: 1 });
      await index.beginRebuild(7);
      await index.put([entry(1, NOW_MS + HOUR_MS, 2)]);
      await index.finishRebuild(7);
      expect(await index.count()).toBe(1);
    });
  });
};
