import { describe, expect, it } from 'vitest';
import type { PageCursor } from '../../../server/timer/model/timer-store.ts';
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

    it('prunes what is finished and old, never what is scheduled or dead', async () => {
      const [done, dead] = [await scene.schedule(wanted('done')), await scene.schedule(wanted('dead'))];
      await scene.schedule(wanted('open'));
      await scene.store.save([
        { timerId: done.id, revision: 1, state: 'completed', fireAtMs: 0, attempt: 0 },
        { timerId: dead.id, revision: 1, state: 'dead', fireAtMs: 0, attempt: 1 },
      ]);
      expect(await scene.store.prune(NOW_MS, 10)).toBe(0);
      expect(await scene.store.prune(NOW_MS + 1, 10)).toBe(1);
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
