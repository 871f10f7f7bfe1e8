import { describe, expect, it } from 'vitest';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { countOf } from '../../support/engine/due-index.ts';
import { entry, HOUR_MS, handOffAll, indexMaker, type MakeIndex, NOW_MS, never, nextFireAtMs } from './index-scene.ts';

/** The contract of every `DueOrders`. */
export const dueOrdersContract = (name: string, make: MakeIndex): void => {
  describe(`DueOrders: ${name}`, () => {
    const makeIndex = indexMaker(make);

    it('does not let a put of an older revision replace a newer one', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS + HOUR_MS, 5)]);
      await index.orders.put([entry(1, NOW_MS, 4)]);
      expect(await nextFireAtMs(index)).toBe(NOW_MS + HOUR_MS);
    });

    it('takes the newest of several entries for one timer in one put', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS, 4), entry(1, NOW_MS + 2, 6), entry(1, NOW_MS + 1, 5)]);
      expect(await nextFireAtMs(index)).toBe(NOW_MS + 2);
      expect(await countOf(index)).toBe(1);
    });

    it('lets an equal revision replace, so that a timer can be put back', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS, 4)]);
      await index.orders.put([entry(1, NOW_MS + 9, 4)]);
      expect(await nextFireAtMs(index)).toBe(NOW_MS + 9);
    });

    it.each([2047, 2 ** 31 - 1])('knows the revision after %i as newer, in puts and removals', async (revision) => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS + 5, revision)]);
      await index.orders.put([entry(1, NOW_MS + 6, revision + 1)]);
      await index.orders.put([entry(1, NOW_MS + 7, revision)]);
      await index.orders.remove([entry(1, NOW_MS + 6, revision)]);
      expect(await nextFireAtMs(index)).toBe(NOW_MS + 6);
      await index.orders.remove(await index.orders.listByOwner('player-1'));
      expect(await countOf(index)).toBe(0);
    });

    it('does not let a removal of an older revision remove a newer entry', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS, 3, 'ann')]);
      await index.orders.remove([{ timerId: '1', owner: 'ann', revision: 2 }]);
      expect(await index.orders.listByOwner('ann')).toMatchObject([{ timerId: '1', fireAtMs: NOW_MS }]);
      await index.orders.remove([{ timerId: '1', owner: 'ann', revision: 4 }]);
      expect(await index.orders.listByOwner('ann')).toEqual([]);
      expect(await countOf(index)).toBe(0);
    });

    it('does not mind timers that it does not know', async () => {
      const index = await makeIndex();
      await index.orders.remove([{ timerId: '404', owner: 'nobody', revision: 1 }]);
      expect(await index.orders.listByOwner('nobody')).toEqual([]);
    });

    it('keeps owners apart whose names hold colons and spaces', async () => {
      const index = await makeIndex();
      await index.orders.put([
        entry(1, NOW_MS, 1, 'guest:a b'),
        entry(12, NOW_MS, 1, 'guest'),
        entry(3, NOW_MS, 1, '3:x'),
      ]);
      expect(await index.orders.listByOwner('guest:a b')).toMatchObject([{ timerId: '1', fireAtMs: NOW_MS }]);
      await handOffAll(index);
      const timers = (await index.queue.receive(100, 0, never)).flatMap((delivery) => delivery.timers);
      expect(timers).toHaveLength(3);
      expect(timers).toContainEqual({ timerId: '1', owner: 'guest:a b' });
      expect(timers).toContainEqual({ timerId: '3', owner: '3:x' });
      expect(await index.orders.listByOwner('guest:a b')).toEqual([]);
    });

    it('tells when it fires those that it has, also ready and late ones', async () => {
      const index = await makeIndex();
      await index.orders.put([
        entry(1, NOW_MS - HOUR_MS),
        entry(2, NOW_MS + 5, 3),
        entry(3, NOW_MS + 40 * 24 * HOUR_MS),
      ]);
      await index.handOffs.handOff(0, NOW_MS - 2 * HOUR_MS, 1);
      const asked = [1, 2, 3, 4].map((timerId) => ({ timerId: String(timerId), owner: `player-${timerId % 3}` }));
      const times = await index.orders.fireTimes(asked);
      expect([...times].sort()).toEqual([
        ['1', NOW_MS - HOUR_MS],
        ['2', NOW_MS + 5],
        ['3', NOW_MS + 40 * 24 * HOUR_MS],
      ]);
      expect((await index.orders.fireTimes([])).size).toBe(0);
    });

    it('lists and counts the entries of any time, near and far, in the past and at its edges', async () => {
      const index = await makeIndex();
      const times = [-HOUR_MS, -1, 0, 1, 255, 256, 257, 65_536, HOUR_MS, 24 * HOUR_MS, 400 * 24 * HOUR_MS];
      await index.orders.put(times.map((delayMs, at) => entry(at + 1, NOW_MS + delayMs)));
      for (const fromMs of times) {
        for (const beforeMs of times) {
          const listed = await index.orders.between(NOW_MS + fromMs, NOW_MS + beforeMs, 100);
          const wanted = times.filter((delayMs) => delayMs >= fromMs && delayMs < beforeMs);
          expect(listed.map(({ fireAtMs }) => fireAtMs - NOW_MS).sort((a, b) => a - b)).toEqual(wanted);
          expect(await index.orders.countBetween(NOW_MS + fromMs, NOW_MS + beforeMs)).toBe(wanted.length);
        }
      }
    });

    it('lists the entries of a time, each with enough of its revision to remove it and nothing newer', async () => {
      const index = await makeIndex();
      await index.orders.put([entry(1, NOW_MS, 4095), entry(2, NOW_MS + 5, 3), entry(3, NOW_MS + 9, 1)]);
      const listed = await index.orders.between(NOW_MS, NOW_MS + 9, 100);
      const times = listed.map(({ timerId, owner, fireAtMs }) => [timerId, owner, fireAtMs]).sort();
      expect(times).toEqual([
        ['1', 'player-1', NOW_MS],
        ['2', 'player-2', NOW_MS + 5],
      ]);
      await index.orders.put([entry(2, NOW_MS + 6, 4)]);
      await index.orders.remove(listed);
      expect((await index.orders.between(0, LATEST_MS, 100)).map(({ timerId }) => timerId).sort()).toEqual(['2', '3']);
    });
  });
};
