import { describe, expect, it } from 'vitest';
import type { ChangeOutcome, ScheduleRequest, TimerChange } from '../../server/timer/model/timer-changes.ts';
import { key, type MakeStore, NOW_MS, StoreScene, wanted } from './timer-store/store-scene.ts';

const HOUR_MS = 3_600_000;
const cron = { expression: '0 4 * * *', timeZone: 'Europe/Berlin' };

/** The contract of every store for new orders, and for changes of many timers. `make` gets the store's clock. */
export const timerOrdersContract = (name: string, make: MakeStore): void => {
  describe(`Orders of timers: ${name}`, () => {
    const scene = StoreScene.each(make);

    const move = async (more: Partial<ScheduleRequest>) => {
      const { dueAtMs: _, inMs: __, ...rest } = wanted('a');
      const [outcome] = await scene.store.schedule([{ ...rest, orMove: true, inMs: 10, ...more } as ScheduleRequest]);
      if (outcome === undefined) throw new Error('no outcome');
      expect((await scene.store.find([key('a')]))[0]).toEqual(outcome.timer);
      return outcome.timer;
    };
    const change = async (what: Omit<TimerChange, 'target'>): Promise<ChangeOutcome | undefined> =>
      (await scene.store.change([{ target: key('a'), ...what } as TimerChange]))[0];

    it('a move takes over the recurrence and the policy that are given, and keeps those that are not', async () => {
      await scene.schedule(wanted('a', 1000, { cron, misfire: { late: 'skip' } }));
      const tokyo = { ...cron, timeZone: 'Asia/Tokyo' };
      expect(await move({ cron: tokyo })).toMatchObject({ recurrence: { cron: tokyo }, misfire: { late: 'skip' } });
      expect(await move({ misfire: { missed: 'all' } })).toMatchObject({
        recurrence: { cron: tokyo },
        misfire: { missed: 'all' },
      });
      expect(await move({ every: { ms: HOUR_MS } })).toMatchObject({ recurrence: { every: { ms: HOUR_MS } } });
      expect(await move({})).toMatchObject({
        recurrence: { every: { ms: HOUR_MS } },
        misfire: { missed: 'all' },
        turn: 1,
      });
    });

    it.each([undefined, 'another'])('a move to fire once ends the recurrence; its payload: %s', async (payload) => {
      await scene.schedule(wanted('a', 1000, { cron, misfire: { late: 'skip' } }));
      const moved = await move({ every: { ms: HOUR_MS, times: 1 }, payload });
      expect([moved.recurrence, moved.misfire, moved.dueAtMs]).toEqual([undefined, { late: 'skip' }, NOW_MS + 10]);
      scene.nowMs += 5;
      // Its due time moves as that of a timer that never repeated.
      expect(await change({ change: 'fire-now' } as never)).toMatchObject({ timer: { dueAtMs: NOW_MS + 5 } });
    });

    it('a timer that is added to fire once has no recurrence, also if it might have been moved', async () => {
      for (const [subject, orMove] of [
        ['a', true],
        ['b', false],
      ] as const) {
        await scene.store.schedule([wanted(subject, 1000, { orMove, cron: { ...cron, times: 1 } })]);
        await scene.store.change([{ target: key(subject), change: 'fire-now' }]);
        const [timer] = await scene.store.find([key(subject)]);
        expect([timer?.recurrence, timer?.dueAtMs]).toEqual([undefined, NOW_MS]);
      }
    });

    it('a move of another owner’s timer takes over nothing', async () => {
      const timer = await scene.schedule(wanted('a', 1000, { owner: 'bob', cron }));
      await scene.store.schedule([wanted('a', 10, { orMove: true, every: { ms: HOUR_MS }, payload: 1 })]);
      expect((await scene.store.find([key('a')]))[0]).toEqual(timer);
    });

    it('another payload is the next turn; none, and the same one in whatever order, is not', async () => {
      await scene.schedule(wanted('a', 1000, { payload: { text: 'ripe', n: [1] } }));
      expect(await move({})).toMatchObject({ turn: 1 });
      expect(await move({ payload: { n: [1], text: 'ripe' } })).toMatchObject({ turn: 1 });
      expect(await move({ payload: { text: 'attacked' } })).toMatchObject({ turn: 2, payload: { text: 'attacked' } });
      expect(await move({ payload: null })).toMatchObject({ turn: 3, payload: null });
      expect(await move({ payload: null })).toMatchObject({ turn: 3, payload: null });
      expect(await move({})).toMatchObject({ turn: 3, payload: null });
    });

    it('a turn that is ordered anew is none of the times that a recurrence has', async () => {
      await scene.schedule(wanted('a', 1000, { cron: { ...cron, times: 3 } }));
      expect(await move({ payload: 1 })).toMatchObject({ turn: 2, recurrence: { cron: { ...cron, times: 4 } } });
      expect(await move({ payload: 2, every: { ms: HOUR_MS, times: 5 } })).toMatchObject({
        turn: 3,
        recurrence: { every: { ms: HOUR_MS, times: 6 } },
      });
      expect(await change({ change: 'set-payload', payload: 3 } as never)).toMatchObject({
        timer: { turn: 4, recurrence: { every: { ms: HOUR_MS, times: 7 } } },
      });
    });

    it('a recurrence of the most times that there may be takes another payload, too', async () => {
      const times = 2 ** 31 - 1;
      await scene.schedule(wanted('a', 1000, { cron: { ...cron, times } }));
      expect(await move({ payload: 1 })).toMatchObject({ recurrence: { cron: { times: times + 1 } } });
      expect(await change({ change: 'set-payload', payload: 2 } as never)).toMatchObject({
        timer: { turn: 3, recurrence: { cron: { times: times + 2 } } },
      });
    });

    it('a payload is set, and nothing else: due time, attempts and pause stay', async () => {
      const { id: timerId } = await scene.schedule(wanted('a', 1000, { payload: { old: true } }));
      const failed = { timerId, revision: 1, state: 'scheduled' as const, attempt: 2, lastError: 'no' };
      await scene.store.save([{ ...failed, fireAtMs: NOW_MS + 60_000 }]);
      const outcome = await change({ change: 'set-payload', payload: null } as never);
      expect(outcome).toMatchObject({
        outcome: 'applied',
        timer: {
          payload: null,
          turn: 2,
          attempt: 2,
          lastError: 'no',
          dueAtMs: NOW_MS + 1000,
          fireAtMs: NOW_MS + 60_000,
        },
      });
      expect(await change({ change: 'pause' } as never)).toMatchObject({ timer: { isPaused: true, payload: null } });
      expect(await change({ change: 'set-payload', payload: 'x' } as never)).toMatchObject({
        timer: { isPaused: true, payload: 'x', turn: 3 },
      });
      expect(await change({ change: 'set-payload', payload: 'x' } as never)).toMatchObject({ timer: { turn: 3 } });
      await change({ change: 'complete' } as never);
      expect((await scene.store.find([{ timerId }]))[0]).toMatchObject({ state: 'completed', payload: 'x' });
      expect(await change({ change: 'set-payload', payload: 'y' } as never)).toEqual({ outcome: 'already-fired' });
    });

    it('a payload that is set while its call runs brings the call again at once', async () => {
      const { id: timerId } = await scene.schedule(wanted('a', 0));
      await scene.store.defer([{ timerId, revision: 1, byMs: 15_000, claims: 1 }]);
      scene.nowMs += 300;
      expect(await change({ change: 'set-payload', payload: 'new' } as never)).toMatchObject({
        timer: { fireAtMs: scene.nowMs, claims: 0, claimedAtMs: undefined, turn: 2 },
      });
    });

    it('no payload is not null, and null is not no payload', async () => {
      await scene.schedule(wanted('a'));
      await scene.schedule(wanted('b', 1000, { payload: null }));
      expect((await scene.store.find([key('a'), key('b')])).map((timer) => timer?.payload)).toEqual([undefined, null]);
      const ids = await scene.idsOf(['a', 'b']);
      const { timers } = await scene.store.read(ids.map((timerId) => ({ timerId, owner: 'ann' })));
      expect(new Set(timers.map(({ payload }) => payload))).toEqual(new Set([undefined, null]));
    });

    it('fired now, what comes again keeps its due time, from which the next turn is counted', async () => {
      await scene.schedule(wanted('a', HOUR_MS, { every: { ms: HOUR_MS } }));
      scene.nowMs += 500;
      expect(await change({ change: 'fire-now' } as never)).toMatchObject({
        timer: { dueAtMs: NOW_MS + HOUR_MS, fireAtMs: scene.nowMs, turn: 1 },
      });
    });

    it('dead before its due time it is revived for now', async () => {
      const { id: timerId } = await scene.schedule(wanted('a', HOUR_MS, { every: { ms: HOUR_MS } }));
      await scene.store.save([{ timerId, revision: 1, state: 'dead', fireAtMs: NOW_MS, attempt: 1 }]);
      expect(await change({ change: 'revive' } as never)).toMatchObject({
        timer: { dueAtMs: NOW_MS + HOUR_MS, fireAtMs: NOW_MS },
      });
    });

    it('shifts and cancels timers of kinds, of all owners, so many behind an id', async () => {
      const rows = ['a', 'b', 'c', 'd'].map((subject) => wanted(subject, 1000, { owner: `of-${subject}` }));
      await scene.store.schedule([
        ...rows,
        wanted('e', 1000, { kind: 'hint' }),
        wanted('f', 1000, { kind: 'feeding' }),
      ]);
      const [a = '', b = '', c = '', d = ''] = await scene.idsOf(['a', 'b', 'c', 'd']);
      const except = [c];
      const kinds = ['order'];
      const shift = { kinds, change: 'shift', byMs: 7, limit: 2 } as const;
      const first = await scene.store.changeByKind({ ...shift, afterId: '0' }, except);
      expect(first.map(({ id }) => id).sort()).toEqual([a, b].sort());
      expect(first[0]).toMatchObject({ dueAtMs: NOW_MS + 1007, revision: 2 });
      const rest = await scene.store.changeByKind({ ...shift, afterId: b }, except);
      expect(rest.map(({ id }) => id)).toEqual([d]);
      const cancelled = await scene.store.changeByKind({ kinds, change: 'cancel', limit: 9, afterId: '0' }, except);
      expect(cancelled.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
      expect(await scene.store.find([{ timerId: c }])).toMatchObject([{ state: 'scheduled', dueAtMs: NOW_MS + 1000 }]);
    });

    it('prunes the dead when they are old, and nothing else', async () => {
      const [done, dead, open] = [
        await scene.schedule(wanted('a')),
        await scene.schedule(wanted('b')),
        await scene.schedule(wanted('c')),
      ];
      await scene.store.save([
        { timerId: done.id, revision: 1, state: 'completed', fireAtMs: 0, attempt: 0 },
        { timerId: dead.id, revision: 1, state: 'dead', fireAtMs: 0, attempt: 1 },
      ]);
      expect(await scene.store.pruneDead(NOW_MS, 10)).toBe(0);
      expect(await scene.store.pruneDead(NOW_MS + 1, 10)).toBe(1);
      const left = await scene.store.find([{ timerId: done.id }, { timerId: dead.id }, { timerId: open.id }]);
      expect(left.map((timer) => timer?.state)).toEqual(['completed', undefined, 'scheduled']);
    });

    it('puts off a turn that is none of the times that a recurrence has', async () => {
      const { id: timerId } = await scene.schedule(wanted('a', 0, { cron: { ...cron, times: 2 } }));
      const row = { timerId, revision: 1, state: 'scheduled' as const, fireAtMs: NOW_MS + 9, attempt: 0 };
      const again = { dueAtMs: NOW_MS + 9, turn: 2, recurrence: { cron: { ...cron, times: 3 } } };
      await scene.store.save([{ ...row, again }]);
      expect((await scene.store.find([key('a')]))[0]).toMatchObject({ turn: 2, recurrence: again.recurrence });
      await scene.store.save([{ ...row, revision: 2, again: { dueAtMs: NOW_MS + 10, turn: 3, payload: null } }]);
      expect((await scene.store.find([key('a')]))[0]).toMatchObject({
        turn: 3,
        payload: null,
        recurrence: again.recurrence,
      });
    });
  });
};
