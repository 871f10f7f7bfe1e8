import { describe, expect, it } from 'vitest';
import type { Tx } from '../../../server/timer/model/timer-store.ts';
import { completed, key, type MakeStore, NOW_MS, StoreScene, wanted } from './store-scene.ts';

export const transactionsContract = (name: string, make: MakeStore): void => {
  describe(`TimerStore, transactions: ${name}`, () => {
    const scene = StoreScene.each(make);

    it('gives each try a transaction of its own, which is of no use afterwards', async () => {
      const timer = await scene.schedule(wanted('a', 0));
      const given: Tx[] = [];
      const failing = scene.store.fire([timer], async (tx) => {
        given.push(tx);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await scene.store.fire([timer], async (tx, { timers }) => {
        given.push(tx);
        return timers.map((one) => completed(one));
      });
      expect(given).toHaveLength(2);
      expect(given[0]).not.toBe(given[1]);
      for (const tx of given) await expect(scene.store.schedule([wanted('late')], tx)).rejects.toThrow('is over');
      expect(await scene.store.find([key('late')])).toEqual([undefined]);
    });

    it('tells a transaction when it began', async () => {
      scene.nowMs += 5;
      expect(await scene.store.transaction(async (_tx, beganAtMs) => beganAtMs)).toBe(NOW_MS + 5);
    });

    it('fires nothing where the work throws, and saves nothing where it answers nothing', async () => {
      const timer = await scene.schedule(wanted('a'));
      const failing = scene.store.fire([timer], async (tx) => {
        await scene.store.schedule([wanted('effect')], tx);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await scene.store.fire([timer], async () => []);
      expect(await scene.store.find([key('a'), key('effect')])).toMatchObject([
        { state: 'scheduled', revision: 1 },
        undefined,
      ]);
    });

    it('changes nothing when a transaction throws', async () => {
      const timer = await scene.schedule(wanted('a'));
      const failing = scene.store.transaction(async (tx) => {
        await scene.store.schedule([wanted('b')], tx);
        await scene.store.change([{ target: { timerId: timer.id }, change: 'cancel' }], tx);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect((await scene.store.listByOwners(['ann'])).map(({ subject }) => subject)).toEqual(['a']);
    });

    it('cancels an owner’s timers, but not those named', async () => {
      await scene.store.schedule([wanted('a'), wanted('b', 1, { kind: 'hint' }), wanted('c', 1, { owner: 'bob' })]);
      const left = await scene.schedule(wanted('left'));
      const cancelled = await scene.store.changeByOwner({ owners: ['ann'], change: 'cancel' }, [left.id]);
      const states = cancelled.map(({ subject, state }) => [subject, state]);
      expect(states.sort()).toEqual([
        ['a', 'cancelled'],
        ['b', 'cancelled'],
      ]);
      expect(await scene.store.listByOwners(['ann'])).toEqual([left]);
    });
  });
};
