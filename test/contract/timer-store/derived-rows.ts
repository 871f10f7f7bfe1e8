import { describe, expect, it } from 'vitest';
import type { DerivedChanges } from '../../../server/timer/model/timer-store.ts';
import { key, type MakeStore, NOW_MS, StoreScene } from './store-scene.ts';

export const derivedRowsContract = (name: string, make: MakeStore): void => {
  describe(`TimerStore, rows of derived kinds: ${name}`, () => {
    const scene = StoreScene.each(make);

    const changeDerived = (changes: DerivedChanges) =>
      scene.store.transaction((tx) => scene.store.changeDerived(tx, changes, NOW_MS));
    const put = (subject: string, delayMs: number, owner = 'ann') => ({
      ...key(subject),
      owner,
      dueAtMs: NOW_MS + delayMs,
    });

    it('begin with a put, and move with the next one: the same row, with all attempts before it', async () => {
      const { put: begun, remove } = await changeDerived({ put: [put('a', 5), put('b', 6)] });
      expect([begun.map(({ revision }) => revision), remove]).toEqual([[1, 1], []]);
      const [row] = await scene.store.find([key('a')]);
      const failed = { timerId: row?.id ?? '', revision: 1, state: 'scheduled', fireAtMs: NOW_MS + 99 } as const;
      await scene.store.save([{ ...failed, attempt: 3, lastError: 'no' }]);
      const moved = await changeDerived({ put: [put('a', 77)] });
      expect(moved).toEqual({
        put: [{ timerId: row?.id, owner: 'ann', fireAtMs: NOW_MS + 77, revision: 3 }],
        remove: [],
      });
      expect(await scene.store.find([key('a')])).toMatchObject([
        { id: row?.id, dueAtMs: NOW_MS + 77, attempt: 0, lastError: undefined, turn: 1, createdAtMs: NOW_MS },
      ]);
      expect((await scene.store.listByOwners(['ann'])).map(({ subject }) => subject)).toEqual(['b', 'a']);
    });

    it('are gone when they end, beside others that move or begin in the same statement', async () => {
      await changeDerived({ put: [put('a', 1), put('b', 2)] });
      const [ended] = await scene.store.find([key('a')]);
      const { put: there, remove } = await changeDerived({
        put: [put('b', 3), put('c', 4)],
        end: [key('a'), key('unknown')],
      });
      expect(remove).toEqual([{ timerId: ended?.id, owner: 'ann', fireAtMs: NOW_MS + 1, revision: 2 }]);
      expect(there.map(({ fireAtMs, revision }) => [fireAtMs, revision]).sort()).toEqual([
        [NOW_MS + 3, 2],
        [NOW_MS + 4, 1],
      ]);
      expect(await scene.store.find([key('a'), { timerId: ended?.id ?? '' }])).toEqual([undefined, undefined]);
      expect((await scene.store.read([ended?.id ?? ''])).timers).toEqual([]);
      expect((await scene.store.page(undefined, 10)).entries).toHaveLength(2);
      expect(
        await scene.store.prune({ fromMs: 0, beforeMs: NOW_MS + 1_000_000, kinds: [], isOfOthers: true, limit: 10 }),
      ).toBe(0);
    });

    it('that ended and begin again are another timer: nothing that the index still has of the old one is newer', async () => {
      await changeDerived({ put: [put('a', 1)] });
      await changeDerived({ put: [put('a', 2)] });
      const { remove } = await changeDerived({ end: [key('a')] });
      const { put: again } = await changeDerived({ put: [put('a', 3)] });
      expect(Number(again[0]?.timerId)).toBeGreaterThan(Number(remove[0]?.timerId));
      const late = { timerId: remove[0]?.timerId ?? '', revision: 2, byMs: 5, claims: 0 } as const;
      expect((await scene.store.defer([late])).timers).toEqual([]);
      expect(await scene.store.find([key('a')])).toMatchObject([{ id: again[0]?.timerId, fireAtMs: NOW_MS + 3 }]);
    });

    it('that another owner has at the key end, and begin anew', async () => {
      const { put: foreign } = await changeDerived({ put: [put('a', 1, 'bob')] });
      const { put: own, remove } = await changeDerived({ put: [put('a', 2)] });
      expect(remove).toMatchObject([{ timerId: foreign[0]?.timerId, owner: 'bob' }]);
      expect(own).toMatchObject([{ owner: 'ann', fireAtMs: NOW_MS + 2, revision: 1 }]);
      expect(await scene.store.listByOwners(['bob'])).toEqual([]);
    });

    it('stay as they were when the transaction fails', async () => {
      await changeDerived({ put: [put('a', 1), put('b', 2)] });
      const failing = scene.store.transaction(async (tx) => {
        await scene.store.changeDerived(tx, { put: [put('a', 9)], end: [key('b')] }, NOW_MS);
        throw new Error('planned');
      });
      await expect(failing).rejects.toThrow('planned');
      expect((await scene.store.listByOwners(['ann'])).map(({ fireAtMs }) => fireAtMs)).toEqual([
        NOW_MS + 1,
        NOW_MS + 2,
      ]);
    });
  });
};
