import { beforeEach, describe, expect, it } from 'vitest';
import type { PageCursor, RowPage } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { type MakeStore, NOW_MS, refOf, StoreScene, thing, thingKey, wanted } from './store-scene.ts';

const byId = (timers: readonly Timer[]): readonly Timer[] =>
  timers.toSorted((left, right) => Number(left.id) - Number(right.id));

export const thingTimersContract = (name: string, make: MakeStore): void => {
  describe(`TimerStore, timers of things: ${name}`, () => {
    const scene = StoreScene.each(make);
    beforeEach(() => scene.registerThings());

    const found = async (owner: string, id: string): Promise<Timer> => {
      const [timer] = await scene.store.find([thingKey(owner, id)]);
      if (timer === undefined) throw new Error('no timer');
      return timer;
    };
    /** Two timers of own kinds between two of things: at +1, +2, +2, +3, the last two of one instant. */
    const bothSorts = async (): Promise<readonly Timer[]> => {
      await scene.changeThings({ put: [thing('ann', 'a', 1), thing('bob', 'b', 2)] });
      const own = [await scene.schedule(wanted('c', 2)), await scene.schedule(wanted('d', 3))];
      const timers = [await found('ann', 'a'), await found('bob', 'b'), ...own];
      return timers.sort((left, right) => left.fireAtMs - right.fireAtMs || Number(left.id) - Number(right.id));
    };
    const allPages = async (next: (after: PageCursor | undefined) => Promise<RowPage>): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let after: PageCursor | undefined; ; ) {
        const page = await next(after);
        ids.push(...page.entries.map(({ timerId }) => timerId));
        if (page.next === undefined) return ids;
        after = page.next;
      }
    };

    it('begin with a due time, and move with another one: the same row at the next revision', async () => {
      const begun = await scene.changeThings({ put: [thing('ann', 'a', 5), thing('ann', 'b', 6)] });
      expect([begun.put.map(({ revision }) => revision), begun.remove]).toEqual([[1, 1], []]);
      const { id } = await found('ann', 'a');
      scene.nowMs += 3;
      const moved = await scene.changeThings({ put: [thing('ann', 'a', 77), thing('ann', 'b', 6)] });
      expect(moved).toEqual({ put: [{ timerId: id, owner: 'ann', fireAtMs: NOW_MS + 77, revision: 2 }], remove: [] });
      expect(await found('ann', 'a')).toEqual({
        id,
        ...thing('ann', 'a', 77),
        fireAtMs: NOW_MS + 77,
        state: 'scheduled',
        revision: 2,
        attempt: 0,
        turn: 1,
        claims: 0,
        isPaused: false,
        createdAtMs: NOW_MS + 3,
        updatedAtMs: NOW_MS + 3,
      });
    });

    it('have ids that are even, and those of own kinds have odd ones', async () => {
      await scene.changeThings({ put: [thing('ann', 'a', 1), thing('ann', 'b', 1)] });
      const things = await scene.store.listByOwners(['ann']);
      const own = await scene.store.schedule([wanted('c'), wanted('d')]);
      expect(things.map(({ id }) => Number(id) % 2)).toEqual([0, 0]);
      expect(own.map((one) => Number(one?.timer.id) % 2)).toEqual([1, 1]);
    });

    it('are gone when they end; one that begins again is the same row, newer than what the index had', async () => {
      await scene.changeThings({ put: [thing('ann', 'a', 1), thing('ann', 'b', 2)] });
      const ended = await found('ann', 'a');
      const { remove } = await scene.changeThings({ end: [thingKey('ann', 'a'), thingKey('ann', 'unknown')] });
      expect(remove).toMatchObject([{ timerId: ended.id, owner: 'ann', revision: 2 }]);
      expect(await scene.store.find([thingKey('ann', 'a'), { timerId: ended.id }])).toEqual([undefined, undefined]);
      expect((await scene.store.read([refOf(ended)])).timers).toEqual([]);
      expect((await scene.store.stillDue([ended, { ...ended, revision: 2 }])).timers).toEqual([]);
      expect((await scene.store.page(undefined, 10)).entries).toHaveLength(1);
      expect(await scene.store.listByOwners(['ann'])).toHaveLength(1);
      const again = await scene.changeThings({ put: [thing('ann', 'a', 1)] });
      expect(again.put).toEqual([{ timerId: ended.id, owner: 'ann', fireAtMs: NOW_MS + 1, revision: 3 }]);
    });

    it('are read by owner and id, beside those of own kinds: of another owner there is none', async () => {
      const timers = await bothSorts();
      scene.nowMs += 3;
      const strangers = timers.filter(({ kind }) => kind === 'feeding').map((each) => ({ ...each, owner: 'cid' }));
      expect(await scene.store.read([...strangers, { ...strangers[0], id: '998' } as Timer].map(refOf))).toEqual({
        timers: [],
        nowMs: scene.nowMs,
      });
      const read = await scene.store.read(timers.map(refOf));
      expect({ ...read, timers: byId(read.timers) }).toEqual({ timers: byId(timers), nowMs: scene.nowMs });
    });

    it('are still due at the revision seen, and then as they were seen', async () => {
      await scene.changeThings({ put: ['a', 'b', 'c'].map((id) => thing('ann', id, 0)) });
      const [same, moved, over] = [await found('ann', 'a'), await found('ann', 'b'), await found('ann', 'c')];
      await scene.changeThings({ put: [thing('ann', 'b', 9)], end: [thingKey('ann', 'c')] });
      scene.nowMs += 3;
      const seen = { ...same, attempt: 4, lastError: 'no' };
      const { nowMs } = scene;
      expect(await scene.store.stillDue([moved, over, seen, { ...same, id: '998' }])).toEqual({
        timers: [seen],
        nowMs,
      });
      expect(await scene.store.stillDue([{ ...same, owner: 'bob' }, moved])).toEqual({ timers: [], nowMs });
      expect(await scene.store.stillDue([])).toEqual({ timers: [], nowMs });
    });

    it('are in one order with those of own kinds: in pages, in overdue ones and in an owner’s list', async () => {
      const ids = (await bothSorts()).map(({ id }) => id);
      for (const limit of [1, 2, 3, 9]) {
        expect(await allPages((after) => scene.store.page(after, limit))).toEqual(ids);
        const query = { kinds: ['order', 'feeding'], beforeMs: NOW_MS + 3, limit };
        expect(await allPages((after) => scene.store.overdue({ ...query, after }))).toEqual(ids);
        const early = { ...query, beforeMs: NOW_MS + 2 };
        expect(await allPages((after) => scene.store.overdue({ ...early, after }))).toEqual(ids.slice(0, 3));
      }
      const listed = await scene.store.listByOwners(['bob', 'ann']);
      expect(listed.map(({ id }) => id)).toEqual(ids);
      expect((await scene.store.listByOwners(['bob'])).map(({ subject }) => subject)).toEqual(['bob~b']);
    });

    it('are overdue only where their kind is asked for, and hide nothing behind them', async () => {
      await scene.changeThings({ put: Array.from({ length: 12 }, (_, at) => thing('ann', `t${at}`, 1)) });
      const own = await scene.schedule(wanted('a', 2));
      const orders = { kinds: ['order'], beforeMs: NOW_MS + 5, limit: 5 };
      expect(await allPages((after) => scene.store.overdue({ ...orders, after }))).toEqual([own.id]);
      const feedings = { ...orders, kinds: ['feeding'] };
      expect(await allPages((after) => scene.store.overdue({ ...feedings, after }))).toHaveLength(12);
    });

    it('are found by id and by key, in the order of the questions', async () => {
      const own = await scene.schedule(wanted('c'));
      await scene.changeThings({ put: [thing('ann', 'a', 1), thing('bob', 'a', 2)] });
      const [ann, bob] = [await found('ann', 'a'), await found('bob', 'a')];
      expect([ann.owner, bob.owner]).toEqual(['ann', 'bob']);
      const targets = [{ timerId: bob.id }, thingKey('ann', 'a'), { timerId: own.id }, { timerId: ann.id }];
      expect(await scene.store.find(targets)).toEqual([bob, ann, own, ann]);
      expect(await scene.store.find([{ kind: 'order', subject: 'ann~a' }, thingKey('ann', 'b')])).toEqual([
        undefined,
        undefined,
      ]);
    });

    it('are left as they are by changes that name an id, a key, an owner or a kind', async () => {
      await scene.changeThings({ put: [thing('ann', 'a', 1)] });
      const timer = await found('ann', 'a');
      const outcomes = await scene.store.change([
        { target: { timerId: timer.id }, change: 'cancel' },
        { target: thingKey('ann', 'a'), change: 'shift', byMs: 1 },
        { target: { timerId: timer.id }, change: 'revive' },
      ]);
      expect(outcomes).toEqual([{ outcome: 'derived' }, { outcome: 'derived' }, { outcome: 'derived' }]);
      expect(await scene.store.changeByOwner({ owners: ['ann'], change: 'cancel' }, [])).toEqual([]);
      const ofKind = { kinds: ['feeding'], change: 'cancel', afterId: '0', limit: 9 } as const;
      expect(await scene.store.changeByKind(ofKind, [])).toEqual([]);
      expect(await found('ann', 'a')).toEqual(timer);
    });

    it('are neither pruned nor dead', async () => {
      await scene.changeThings({ put: [thing('ann', 'a', 1), thing('ann', 'b', 1)] });
      await scene.changeThings({ end: [thingKey('ann', 'b')] });
      const old = { fromMs: 0, beforeMs: NOW_MS + 1_000_000, kinds: [], isOfOthers: true, limit: 10, most: 100 };
      expect((await scene.store.prune(old)).count).toBe(0);
      expect(await scene.store.pruneDead(old.beforeMs, 10)).toBe(0);
      expect(await scene.store.listDead(['feeding'], 10)).toEqual([]);
      expect(await scene.store.listByOwners(['ann'])).toHaveLength(1);
    });

    it('of a module that is retired are none, until it is used again', async () => {
      await scene.changeThings({ put: [thing('ann', 'a', 1)] });
      const own = await scene.schedule(wanted('b', 2));
      const timer = await found('ann', 'a');
      const seen = async () => {
        const { timers } = await scene.store.read([refOf(timer)]);
        const page = await scene.store.page(undefined, 10);
        const query = { kinds: ['order', 'feeding'], after: undefined, beforeMs: NOW_MS + 9, limit: 10 };
        const overdue = await scene.store.overdue(query);
        const one = await scene.store.find([{ timerId: timer.id }, thingKey('ann', 'a')]);
        const listed = await scene.store.listByOwners(['ann']);
        return [...[timers, one].map((some) => some.flatMap((each) => each?.id ?? []))].concat(
          [page, overdue].map(({ entries }) => entries.map(({ timerId }) => timerId)),
          [listed.map(({ id }) => id)],
        );
      };
      await scene.registerThings({ isRetired: true });
      expect(await seen()).toEqual([[], [], [own.id], [own.id], [own.id]]);
      await scene.registerThings();
      const both = [timer.id, own.id];
      expect(await seen()).toEqual([[timer.id], [timer.id, timer.id], both, both, both]);
    });

    it('are of the kind that their module has now: the one of before has none', async () => {
      await scene.changeThings({ put: [thing('ann', 'a', 1)] });
      const timer = await found('ann', 'a');
      await scene.registerThings({ kind: 'meal' });
      const renamed = { ...timer, kind: 'meal' };
      const { subject } = timer;
      expect(await scene.store.find([thingKey('ann', 'a'), { kind: 'meal', subject }])).toEqual([undefined, renamed]);
      expect((await scene.store.read([refOf(timer)])).timers).toEqual([renamed]);
      expect(await scene.store.listByOwners(['ann'])).toEqual([renamed]);
      const overdue = async (kind: string) => {
        const query = { kinds: [kind], after: undefined, beforeMs: NOW_MS + 1, limit: 10 };
        return (await scene.store.overdue(query)).entries.map(({ timerId }) => timerId);
      };
      expect([await overdue('feeding'), await overdue('meal')]).toEqual([[], [timer.id]]);
      expect([...(await scene.store.registeredKinds()).keys()].sort()).toEqual(['feeding', 'meal']);
    });
  });
};
