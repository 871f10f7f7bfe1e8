import { describe, expect, it } from 'vitest';
import type { PageCursor } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { type MakeStore, NOW_MS, StoreScene, wanted } from './store-scene.ts';

export const pagesContract = (name: string, make: MakeStore): void => {
  describe(`TimerStore, pages and what is kept: ${name}`, () => {
    const scene = StoreScene.each(make);

    it('pages through the scheduled rows by time and id without gap or double', async () => {
      await scene.store.schedule(Array.from({ length: 25 }, (_, at) => wanted(`s${at}`, at % 3)));
      const seen: string[] = [];
      for (let page = await scene.store.page(undefined, 4); ; page = await scene.store.page(page.next, 4)) {
        seen.push(...page.entries.map(({ timerId }) => timerId));
        if (page.next === undefined) break;
      }
      const inOrder = (await scene.store.listByOwners(['ann'])).map(({ id }) => id);
      expect(seen).toEqual(inOrder);
    });

    it('lists overdue rows of the asked kinds, earliest first, and not one millisecond early', async () => {
      await scene.store.schedule([wanted('b', 2), wanted('a', 1), wanted('c', 3), wanted('d', 1, { kind: 'other' })]);
      const ids = await scene.idsOf(['a', 'b']);
      const query = { kinds: ['order'], after: undefined, beforeMs: NOW_MS + 2, limit: 10 };
      const { entries, next } = await scene.store.overdue(query);
      expect(entries.map(({ timerId }) => timerId)).toEqual(ids);
      expect(entries[0]).toEqual({ timerId: ids[0], owner: 'ann', fireAtMs: NOW_MS + 1, revision: 1 });
      expect(next).toBeUndefined();
    });

    it('goes on behind overdue rows of other kinds, however many, a bounded number of rows at a time', async () => {
      await scene.store.schedule(Array.from({ length: 25 }, (_, at) => wanted(`o${at}`, 1, { kind: 'other' })));
      await scene.store.schedule([wanted('a', 1), wanted('b', 2)]);
      const seen: string[] = [];
      let pages = 0;
      for (let after: PageCursor | undefined; ; ) {
        const page = await scene.store.overdue({ kinds: ['order'], after, beforeMs: NOW_MS + 9, limit: 10 });
        pages += 1;
        seen.push(...page.entries.map(({ timerId }) => timerId));
        if (page.next === undefined) break;
        after = page.next;
      }
      expect(seen).toEqual(await scene.idsOf(['a', 'b']));
      expect(pages).toBe(3);
    });

    const all = { fromMs: 0, kinds: [], isOfOthers: true, limit: 10, most: 100 };
    const finish = async (...subjects: readonly string[]) => {
      await scene.store.schedule(subjects.map((subject) => wanted(subject)));
      await scene.store.change(
        subjects.map((subject) => ({ target: { kind: 'order', subject }, change: 'complete' as const, result: 7 })),
      );
    };

    it('prunes of kinds, or of all others, what was finished in a span of time', async () => {
      await finish('a', 'b', 'c');
      const of = { ...all, beforeMs: NOW_MS + 1 };
      expect((await scene.store.prune({ ...of, kinds: ['order'] })).count).toBe(0);
      expect((await scene.store.prune({ ...of, kinds: ['hint'], isOfOthers: false })).count).toBe(0);
      expect((await scene.store.prune({ ...of, fromMs: NOW_MS + 1, beforeMs: NOW_MS + 2 })).count).toBe(0);
      expect((await scene.store.prune({ ...of, kinds: ['order'], isOfOthers: false, limit: 2 })).count).toBe(2);
      expect((await scene.store.prune({ ...of, kinds: ['hint'] })).count).toBe(1);
    });

    it('reads so many rows of any kind, with all that finished in the same millisecond, and says how far', async () => {
      await finish('a', 'b', 'c');
      const of = { ...all, kinds: ['order'], beforeMs: NOW_MS + 5 };
      expect(await scene.store.prune({ ...of, most: 2 })).toEqual({ count: 0, readToMs: NOW_MS + 1 });
      expect(await scene.store.prune({ ...of, most: 4 })).toEqual({ count: 0, readToMs: NOW_MS + 5 });
      expect(await scene.store.prune({ ...of, isOfOthers: false, most: 1 })).toEqual({
        count: 3,
        readToMs: NOW_MS + 1,
      });
    });

    it('keeps no row of a finished timer whose kind keeps none; a dead one stays', async () => {
      await scene.store.registerKinds([{ kind: 'order', retentionMs: 0 }]);
      const names = ['fired', 'dead', 'completed', 'cancelled', 'by-id', 'open'];
      const rows: Timer[] = [];
      for (const name of names) rows.push(await scene.schedule(wanted(name)));
      const [fired, dead, , , byId] = rows.map(({ id }) => id);
      const target = (subject: string) => ({ kind: 'order', subject });
      const saved = await scene.store.save([
        { timerId: fired ?? '', revision: 1, state: 'completed', fireAtMs: 0, attempt: 0 },
        { timerId: dead ?? '', revision: 1, state: 'dead', fireAtMs: 0, attempt: 1 },
      ]);
      expect(saved.map(({ state, revision }) => [state, revision]).sort()).toEqual([
        ['completed', 2],
        ['dead', 2],
      ]);
      const outcomes = await scene.store.change([
        { target: target('completed'), change: 'complete', result: { a: 1 } },
        { target: target('cancelled'), change: 'cancel' },
        { target: { timerId: byId ?? '' }, change: 'cancel' },
      ]);
      expect(outcomes).toMatchObject([
        { outcome: 'applied', timer: { state: 'completed', result: { a: 1 }, revision: 2, updatedAtMs: NOW_MS } },
        { outcome: 'applied', timer: { state: 'cancelled', revision: 2 } },
        { outcome: 'applied', timer: { id: byId, state: 'cancelled' } },
      ]);
      const found = await scene.store.find(rows.map(({ id }) => ({ timerId: id })));
      expect(found.map((timer) => timer?.state)).toEqual([
        undefined,
        'dead',
        undefined,
        undefined,
        undefined,
        'scheduled',
      ]);
      const late = await scene.store.change([{ target: target('completed'), change: 'cancel' }]);
      expect(late).toEqual([{ outcome: 'not-found' }]);
    });

    it('knows of each kind how long it keeps its rows, as it was registered last', async () => {
      await scene.store.registerKinds([
        { kind: 'order', retentionMs: 5 },
        { kind: 'hint', retentionMs: 7 },
        { kind: 'other', retentionMs: undefined },
      ]);
      await scene.store.registerKinds([
        { kind: 'order', retentionMs: 0 },
        { kind: 'hint', retentionMs: undefined },
      ]);
      expect([...(await scene.store.retentions())]).toEqual([['order', 0]]);
    });

    it('prunes what is finished and old, never what is scheduled or dead', async () => {
      const [done, dead] = [await scene.schedule(wanted('done')), await scene.schedule(wanted('dead'))];
      await scene.schedule(wanted('open'));
      await scene.store.save([
        { timerId: done.id, revision: 1, state: 'completed', fireAtMs: 0, attempt: 0 },
        { timerId: dead.id, revision: 1, state: 'dead', fireAtMs: 0, attempt: 1 },
      ]);
      expect((await scene.store.prune({ ...all, beforeMs: NOW_MS })).count).toBe(0);
      expect((await scene.store.prune({ ...all, beforeMs: NOW_MS + 1 })).count).toBe(1);
      expect(await scene.store.find([{ timerId: done.id }, { timerId: dead.id }])).toMatchObject([
        undefined,
        { state: 'dead' },
      ]);
    });

    it('remembers which kinds are paused', async () => {
      await scene.store.setPaused('order', true);
      await scene.store.setPaused('order', true);
      expect([...(await scene.store.pausedKinds())]).toEqual(['order']);
      await scene.store.setPaused('order', false);
      expect([...(await scene.store.pausedKinds())]).toEqual([]);
    });
  });
};
