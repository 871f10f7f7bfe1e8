import { describe, expect, it } from 'vitest';
import { kindsOf } from '../../support/engine/kinds.ts';
import { key, type MakeStore, NOW_MS, StoreScene, wanted } from './store-scene.ts';

export const keysAndRowsContract = (name: string, make: MakeStore): void => {
  describe(`TimerStore, keys and rows: ${name}`, () => {
    const scene = StoreScene.each(make);

    it('answers the new rows in the order of the requests, with ids that ascend between calls', async () => {
      const first = await scene.schedule(wanted('z', 5, { payload: { a: [1, null] } }));
      const outcomes = await scene.store.schedule([wanted('b'), wanted('a')]);
      expect(outcomes.map((one) => one?.timer.subject)).toEqual(['b', 'a']);
      expect(first).toMatchObject({ state: 'scheduled', revision: 1, attempt: 0, payload: { a: [1, null] } });
      expect(first).toMatchObject({ dueAtMs: NOW_MS + 5, fireAtMs: NOW_MS + 5, createdAtMs: NOW_MS });
      expect(outcomes.every((one) => one && BigInt(one.timer.id) > BigInt(first.id))).toBe(true);
    });

    it('has at most one scheduled timer for each key, in one call and in two', async () => {
      const outcomes = await scene.store.schedule([wanted('a', 1), wanted('a', 2)]);
      expect(outcomes.map((one) => one?.outcome)).toEqual(['applied', 'duplicate']);
      const [again] = await scene.store.schedule([wanted('a', 3)]);
      expect(again).toMatchObject({ outcome: 'duplicate', timer: { dueAtMs: NOW_MS + 1 } });
    });

    it('gives a key free when its timer is cancelled', async () => {
      await scene.schedule(wanted('a'));
      await scene.store.change([{ target: key('a'), change: 'cancel' }]);
      const [again] = await scene.store.schedule([wanted('a')]);
      expect(again?.outcome).toBe('applied');
    });

    it('sums shifts of one timer, by id and by key, in one call', async () => {
      const timer = await scene.schedule(wanted('a', 1000));
      const outcomes = await scene.store.change([
        { target: { timerId: timer.id }, change: 'shift', byMs: 500 },
        { target: key('a'), change: 'shift', byMs: -200 },
        { target: { timerId: timer.id }, change: 'shift', byMs: 30 },
      ]);
      expect(outcomes.map((one) => one?.outcome)).toEqual(['applied', 'applied', 'applied']);
      expect((await scene.store.find([key('a')]))[0]).toMatchObject({ dueAtMs: NOW_MS + 1330, revision: 4 });
    });

    it('resets attempts, error and fire time when the due time changes', async () => {
      const timer = await scene.schedule(wanted('a'));
      await scene.store.save([
        { timerId: timer.id, revision: 1, state: 'scheduled', fireAtMs: NOW_MS + 9000, attempt: 2, lastError: 'no' },
      ]);
      await scene.store.change([{ target: key('a'), change: 'shift', byMs: -1 }]);
      const [after] = await scene.store.find([key('a')]);
      expect(after).toMatchObject({ attempt: 0, dueAtMs: NOW_MS + 999, fireAtMs: NOW_MS + 999 });
      expect(after?.lastError).toBeUndefined();
    });

    it('tells what was fired from what never was', async () => {
      const timer = await scene.schedule(wanted('fired'));
      await scene.schedule(wanted('cancelled'));
      await scene.store.save([
        { timerId: timer.id, revision: 1, state: 'completed', fireAtMs: timer.fireAtMs, attempt: 0 },
      ]);
      await scene.store.change([{ target: key('cancelled'), change: 'cancel' }]);
      const outcomes = await scene.store.change([
        { target: key('fired'), change: 'cancel' },
        { target: { timerId: timer.id }, change: 'reschedule', dueAtMs: NOW_MS },
        { target: key('cancelled'), change: 'shift', byMs: 1 },
        { target: key('unknown'), change: 'cancel' },
      ]);
      expect(outcomes.map((one) => one?.outcome)).toEqual(['already-fired', 'already-fired', 'not-found', 'not-found']);
    });

    it('revives a dead timer at once with no attempts, unless its key is taken', async () => {
      const timer = await scene.schedule(wanted('a'));
      scene.nowMs += 5000;
      const dead = { timerId: timer.id, revision: 1, state: 'dead' as const, fireAtMs: timer.fireAtMs, attempt: 16 };
      await scene.store.save([{ ...dead, lastError: 'no' }]);
      expect(await scene.store.listDead(['order'], 10)).toHaveLength(1);
      const [revived] = await scene.store.change([{ target: key('a'), change: 'revive' }]);
      expect(revived).toMatchObject({
        outcome: 'applied',
        timer: { state: 'scheduled', attempt: 0, fireAtMs: scene.nowMs },
      });
      await scene.store.save([{ ...dead, revision: 3 }]);
      await scene.schedule(wanted('a'));
      const [taken] = await scene.store.change([{ target: { timerId: timer.id }, change: 'revive' }]);
      expect(taken?.outcome).toBe('duplicate');
    });

    it('saves nothing over another revision', async () => {
      const timer = await scene.schedule(wanted('a'));
      await scene.store.change([{ target: key('a'), change: 'shift', byMs: 1 }]);
      const stale = { timerId: timer.id, revision: 1, state: 'completed' as const, fireAtMs: 0, attempt: 0 };
      expect(await scene.store.save([stale])).toEqual([]);
      expect((await scene.store.find([key('a')]))[0]?.state).toBe('scheduled');
    });

    it('remembers every kind that was ever registered, once', async () => {
      expect([...(await scene.store.registeredKinds()).keys()]).toEqual([]);
      await scene.store.registerKinds(kindsOf('order', 'hint'));
      await scene.store.registerKinds(kindsOf('order', 'feeding'));
      await scene.store.registerKinds(kindsOf());
      expect([...(await scene.store.registeredKinds()).keys()].sort()).toEqual(['feeding', 'hint', 'order']);
    });
  });
};
