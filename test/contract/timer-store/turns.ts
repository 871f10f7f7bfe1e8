import { describe, expect, it } from 'vitest';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { TimerUpdate } from '../../../server/timer/model/timer-store.ts';
import { completed, key, type MakeStore, NOW_MS, refOf, StoreScene, wanted } from './store-scene.ts';

export const turnsContract = (name: string, make: MakeStore): void => {
  describe(`TimerStore, turns: ${name}`, () => {
    const scene = StoreScene.each(make);

    const again = ({ id, revision, turn }: Timer, dueAtMs: number, payload?: unknown): TimerUpdate => ({
      timerId: id,
      revision,
      fireAtMs: dueAtMs,
      attempt: 0,
      state: 'scheduled',
      again: { dueAtMs, turn: turn + 1, payload },
    });

    it('lets a timer come again in its row: the next turn, with nothing left of the one before but its payload', async () => {
      const timer = await scene.schedule(wanted('a', 0, { payload: { day: 1 } }));
      await scene.store.save([
        { timerId: timer.id, revision: 1, state: 'scheduled', fireAtMs: NOW_MS, attempt: 2, lastError: 'no' },
      ]);
      const [failed] = await scene.store.find([key('a')]);
      if (failed === undefined) throw new Error('no timer');
      await scene.store.fire([failed], async (_tx, { timers }) => timers.map((one) => again(one, NOW_MS + 50)));
      const [second] = await scene.store.find([{ timerId: timer.id }]);
      expect(second).toMatchObject({ state: 'scheduled', turn: 2, revision: 3, attempt: 0, claims: 0 });
      expect(second).toMatchObject({ dueAtMs: NOW_MS + 50, fireAtMs: NOW_MS + 50, payload: { day: 1 } });
      expect([second?.lastError, second?.result]).toEqual([undefined, undefined]);
      if (second === undefined) return;
      await scene.store.fire([second], async (_tx, { timers }) =>
        timers.map((one) => again(one, NOW_MS + 99, { day: 2 })),
      );
      expect(await scene.store.find([key('a')])).toMatchObject([
        { id: timer.id, turn: 3, revision: 4, payload: { day: 2 } },
      ]);
    });

    it('keeps on the row how a timer comes again and what becomes of it when it is late', async () => {
      const every = { ms: 60_000, times: 3 };
      const cron = { expression: '0 0 * * *', timeZone: 'Europe/Berlin' };
      const policy = { late: 'skip', afterMs: 5 } as const;
      const scheduled = await scene.schedule(wanted('a', 0, { every, misfire: policy }));
      await scene.schedule(wanted('b', 0, { cron }));
      await scene.schedule(wanted('c'));
      const [a, b, c] = await scene.store.find([key('a'), key('b'), key('c')]);
      expect(a).toEqual(scheduled);
      expect([a?.recurrence, a?.misfire, a?.lateness]).toEqual([{ every }, policy, undefined]);
      expect([b?.recurrence, b?.misfire]).toEqual([{ cron }, undefined]);
      expect([c?.recurrence, c?.misfire]).toEqual([undefined, undefined]);
      await scene.store.save([again(scheduled, NOW_MS + 60_000)]);
      expect(await scene.store.find([key('a')])).toMatchObject([{ turn: 2, recurrence: { every }, misfire: policy }]);
      const { timers } = await scene.store.read([refOf(scheduled)]);
      expect(timers).toEqual(await scene.store.find([key('a')]));
    });

    it('moves a row to a turn that is not the next, and keeps what the turn was judged to be until it is over or moved', async () => {
      const timer = await scene.schedule(wanted('a', 0, { every: { ms: 1000 } }));
      const late = { turn: 5, dueAtMs: NOW_MS + 4000, lateMs: 200, missed: 4, isMisfire: true };
      const { id: timerId } = timer;
      const row = { timerId, state: 'scheduled' as const, fireAtMs: NOW_MS + 4000, attempt: 0 };
      const to = { turn: 5, dueAtMs: NOW_MS + 4000 };
      await scene.store.save([{ ...row, revision: 1, again: to, lateness: late }]);
      expect((await scene.store.find([key('a')]))[0]).toMatchObject({
        ...to,
        fireAtMs: NOW_MS + 4000,
        revision: 2,
        lateness: late,
      });
      await scene.store.save([{ ...row, revision: 2, attempt: 1, fireAtMs: NOW_MS + 9000, lastError: 'no' }]);
      await scene.store.defer([{ timerId, revision: 3, byMs: 10, claims: 1 }]);
      const found = await scene.store.find([key('a')]);
      expect(found).toMatchObject([{ attempt: 1, claims: 1, lateness: late }]);
      const { timers } = await scene.store.fire(
        found.flatMap((one) => one ?? []),
        async () => [],
      );
      expect(timers).toMatchObject([{ lateness: late }]);
      await scene.store.change([{ target: key('a'), change: 'shift', byMs: 1 }]);
      expect((await scene.store.find([key('a')]))[0]?.lateness).toBeUndefined();
    });

    it('lets a dead timer keep its turn, and revives it there', async () => {
      const timer = await scene.schedule(wanted('a', 0, { every: { ms: 1000 } }));
      const { id: timerId } = timer;
      const lateness = { turn: 3, dueAtMs: NOW_MS + 2000, lateMs: 5, missed: 2, isMisfire: true };
      const again = { turn: 3, dueAtMs: NOW_MS + 2000 };
      const dead = { timerId, revision: 1, state: 'dead' as const, fireAtMs: NOW_MS, attempt: 0, lastError: 'late' };
      await scene.store.save([{ ...dead, again, lateness }]);
      scene.nowMs += 9000;
      await scene.store.change([{ target: key('a'), change: 'revive' }]);
      expect(await scene.store.find([key('a')])).toMatchObject([
        { ...again, state: 'scheduled', fireAtMs: scene.nowMs, recurrence: { every: { ms: 1000 } }, lateness },
      ]);
    });

    it('has a shift that came while a timer was fired hit the coming turn, or tell that it was too late', async () => {
      const [coming, over] = [await scene.schedule(wanted('coming', 0)), await scene.schedule(wanted('over', 0))];
      const shifts: Promise<unknown>[] = [];
      await scene.store.fire([coming, over], async (_tx, { timers }) => {
        for (const { id: timerId } of timers)
          shifts.push(scene.store.change([{ target: { timerId }, change: 'shift', byMs: 7 }]));
        return timers.map((one) => (one.id === coming.id ? again(one, NOW_MS + 50) : completed(one)));
      });
      expect(await Promise.all(shifts)).toMatchObject([
        [{ outcome: 'applied', timer: { turn: 2, dueAtMs: NOW_MS + 57 } }],
        [{ outcome: 'already-fired' }],
      ]);
    });
  });
};
