import { beforeEach, describe, expect, it } from 'vitest';
import type { PageCursor } from '../../../server/timer/model/index-entry.ts';
import { type MakeStore, NOW_MS, refOf, StoreScene, thing, thingKey, wanted } from './store-scene.ts';

export const homeHoldsContract = (name: string, make: MakeStore): void => {
  describe(`TimerStore, homes on hold: ${name}`, () => {
    const scene = StoreScene.each(make);
    const untilMs = NOW_MS + 1000;
    const held = { attempt: 2, lastError: 'no' };

    /** Of ann two are due and one is not yet; of bob one is due. Ann failed twice. */
    beforeEach(async () => {
      await scene.registerThings();
      const anns = [thing('ann', 'a', -10), thing('ann', 'b', 0), thing('ann', 'later', 500)];
      await scene.changeThings({ put: [...anns, thing('bob', 'c', -5)] });
      await scene.store.hold([{ owner: 'ann', untilMs, ...held }]);
    });

    const found = (...ids: readonly string[]) => scene.store.find(ids.map((id) => thingKey('ann', id)));
    const overdueAt = async (beforeMs: number, limit: number) => {
      const [subjects, sizes]: [string[], number[]] = [[], []];
      for (let after: PageCursor | undefined; ; ) {
        const page = await scene.store.overdue({ kinds: ['feeding', 'order'], after, beforeMs, limit });
        sizes.push(page.entries.length);
        const timers = await scene.store.find(page.entries.map(({ timerId }) => ({ timerId })));
        subjects.push(...timers.map((timer) => timer?.subject ?? ''));
        if (page.next === undefined) return { subjects, sizes };
        after = page.next;
      }
    };

    it('say of what was due when the hold began how often they failed, why, and until when', async () => {
      const at = { fireAtMs: untilMs, updatedAtMs: NOW_MS, revision: 1, ...held };
      expect(await found('a', 'b')).toMatchObject([
        { dueAtMs: NOW_MS - 10, ...at },
        { dueAtMs: NOW_MS, ...at },
      ]);
      const listed = await scene.store.listByOwners(['ann']);
      expect(listed.map(({ subject, fireAtMs }) => [subject, fireAtMs])).toEqual([
        ['ann~later', NOW_MS + 500],
        ['ann~a', untilMs],
        ['ann~b', untilMs],
      ]);
    });

    it('let what becomes due later fire in time', async () => {
      const fresh = { attempt: 0, lastError: undefined, fireAtMs: NOW_MS + 500 };
      expect(await found('later')).toMatchObject([fresh]);
      expect((await overdueAt(NOW_MS + 500, 10)).subjects).toEqual(['bob~c', 'ann~later']);
      expect(await scene.store.find([thingKey('bob', 'c')])).toMatchObject([{ attempt: 0, fireAtMs: NOW_MS - 5 }]);
    });

    it('are left out of what is overdue until their time, but counted, so that nothing hides behind them', async () => {
      await scene.schedule(wanted('order', -1));
      expect(await overdueAt(NOW_MS, 10)).toEqual({ subjects: ['bob~c', 'order'], sizes: [2] });
      expect(await overdueAt(NOW_MS, 1)).toEqual({ subjects: ['bob~c', 'order'], sizes: [0, 1, 1, 0, 0] });
      expect((await overdueAt(untilMs - 1, 10)).subjects).toEqual(['bob~c', 'order', 'ann~later']);
      expect((await overdueAt(untilMs, 2)).subjects).toEqual(['ann~a', 'bob~c', 'order', 'ann~b', 'ann~later']);
      const query = { kinds: ['feeding'], after: undefined, beforeMs: untilMs, limit: 1 };
      // When it may be tried, not when it is due: that is how late it is.
      expect((await scene.store.overdue(query)).entries).toMatchObject([{ owner: 'ann', fireAtMs: untilMs }]);
    });

    it('are for the sweeper alone: due times are read, and paged, as they are', async () => {
      const timers = (await found('a', 'later')).flatMap((timer) => timer ?? []);
      const read = await scene.store.read(timers.map(refOf));
      const bySubject = new Map(read.timers.map((timer) => [timer.subject, timer]));
      expect(bySubject.get('ann~a')).toMatchObject({ fireAtMs: NOW_MS - 10, ...held });
      expect(bySubject.get('ann~later')).toMatchObject({ fireAtMs: NOW_MS + 500, attempt: 0 });
      const { entries } = await scene.store.page(undefined, 10);
      expect(entries.map(({ fireAtMs }) => fireAtMs - NOW_MS)).toEqual([-10, -5, 0, 500]);
    });

    it('for which there was no room keep their count and their error', async () => {
      scene.nowMs += 600;
      await scene.store.hold([
        { owner: 'ann', untilMs: NOW_MS + 3000, attempt: 0 },
        { owner: 'bob', untilMs: NOW_MS + 4000, attempt: 0 },
      ]);
      const at = { fireAtMs: NOW_MS + 3000, updatedAtMs: NOW_MS + 600, ...held };
      expect(await found('a', 'later')).toMatchObject([at, at]);
      const bobs = await scene.store.find([thingKey('bob', 'c')]);
      expect(bobs).toMatchObject([{ attempt: 0, lastError: undefined, fireAtMs: NOW_MS + 4000 }]);
      expect((await scene.store.listStuck(10)).map(({ owner }) => owner)).toEqual(['ann', 'ann', 'ann']);
      await scene.store.hold([{ owner: 'ann', untilMs: NOW_MS + 9000, attempt: 3, lastError: 'still no' }]);
      expect(await found('a')).toMatchObject([{ attempt: 3, lastError: 'still no', fireAtMs: NOW_MS + 9000 }]);
    });

    it('are remembered only of owners with things: an erased one does not come back', async () => {
      await scene.store.hold([{ owner: 'cleo', untilMs, ...held }]);
      await scene.changeThings({ put: [thing('cleo', 'd', -10)] });
      expect((await scene.store.listStuck(10)).map(({ owner }) => owner)).toEqual(['ann', 'ann']);
    });

    it('are free at once when they were settled', async () => {
      await scene.store.release(['ann', 'unknown']);
      expect(await found('a')).toMatchObject([{ attempt: 0, lastError: undefined, fireAtMs: NOW_MS - 10 }]);
      expect((await overdueAt(NOW_MS, 10)).subjects).toEqual(['ann~a', 'bob~c', 'ann~b']);
      expect(await scene.store.listStuck(10)).toEqual([]);
      await scene.store.hold([{ owner: 'ann', untilMs, attempt: 0 }]);
      expect(await found('a')).toMatchObject([{ attempt: 0, lastError: undefined, fireAtMs: untilMs }]);
    });

    it('are on hold no more with what was moved on since', async () => {
      await scene.changeThings({ put: [thing('ann', 'a', 700)], end: [thingKey('ann', 'b')] });
      expect(await found('a')).toMatchObject([{ attempt: 0, lastError: undefined, fireAtMs: NOW_MS + 700 }]);
      expect(await scene.store.listStuck(10)).toEqual([]);
    });

    it('are listed as stuck, the latest first', async () => {
      scene.nowMs += 10;
      await scene.store.hold([{ owner: 'bob', untilMs, attempt: 1, lastError: 'never' }]);
      const stuck = await scene.store.listStuck(10);
      expect(stuck[0]).toMatchObject({ subject: 'bob~c', attempt: 1, lastError: 'never', state: 'scheduled' });
      expect(stuck.map(({ subject }) => subject).sort()).toEqual(['ann~a', 'ann~b', 'bob~c']);
      expect((await scene.store.listStuck(1)).map(({ subject }) => subject)).toEqual(['bob~c']);
      await scene.registerThings({ isRetired: true });
      expect(await scene.store.listStuck(10)).toEqual([]);
    });

    it('hold nothing of own kinds', async () => {
      const own = await scene.schedule(wanted('a', -20));
      expect(await scene.store.listByOwners(['ann'])).toContainEqual(own);
      expect((await scene.store.read([refOf(own)])).timers).toEqual([own]);
      expect((await overdueAt(NOW_MS, 10)).subjects).toEqual(['a', 'bob~c']);
    });
  });
};
