import { describe, expect, it } from 'vitest';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { completed, key, type MakeStore, NOW_MS, refOf, StoreScene, wanted } from './store-scene.ts';

export const claimsAndRevisionsContract = (name: string, make: MakeStore): void => {
  describe(`TimerStore, claims and revisions: ${name}`, () => {
    const scene = StoreScene.each(make);

    it('reads what is scheduled, and leaves out what is over, dead or unknown', async () => {
      const [open, over, dead] = [
        await scene.schedule(wanted('a')),
        await scene.schedule(wanted('b')),
        await scene.schedule(wanted('c')),
      ];
      await scene.store.change([{ target: key('b'), change: 'cancel' }]);
      await scene.store.save([{ timerId: dead.id, revision: 1, state: 'dead', fireAtMs: dead.fireAtMs, attempt: 1 }]);
      scene.nowMs += 3;
      expect(await scene.store.read([dead, over, open, { ...open, id: '999' }].map(refOf))).toEqual({
        timers: [open],
        nowMs: scene.nowMs,
      });
    });

    const deferral = ({ id, revision }: Timer, byMs: number, claims: 1 | 0 | -1) => ({
      timerId: id,
      revision,
      byMs,
      claims,
    });

    it('defers rows from its own time, counts claims, and changes nothing else of them', async () => {
      const [one, two] = [await scene.schedule(wanted('a', 10)), await scene.schedule(wanted('b', 20))];
      scene.nowMs += 500;
      const { timers, nowMs: atMs } = await scene.store.defer([deferral(two, 30_000, 0), deferral(one, 15_000, 1)]);
      expect(atMs).toBe(scene.nowMs);
      const byId = new Map(timers.map((timer) => [timer.id, timer]));
      expect(byId.get(one.id)).toEqual({
        ...one,
        revision: 2,
        claims: 1,
        claimedAtMs: scene.nowMs,
        fireAtMs: scene.nowMs + 15_000,
      });
      expect(byId.get(two.id)).toEqual({ ...two, revision: 2, fireAtMs: scene.nowMs + 30_000 });
      expect(await scene.store.find([key('a'), key('b')])).toEqual([byId.get(one.id), byId.get(two.id)]);
      const overdue = await scene.store.overdue({
        kinds: ['order'],
        after: undefined,
        beforeMs: scene.nowMs,
        limit: 10,
      });
      expect(overdue.entries).toEqual([]);
    });

    it('defers nothing that was moved or is over, and says its time all the same', async () => {
      const [moved, over] = [await scene.schedule(wanted('a')), await scene.schedule(wanted('b'))];
      await scene.store.change([{ target: key('a'), change: 'shift', byMs: 1 }]);
      await scene.store.change([{ target: key('b'), change: 'cancel' }]);
      const cancelled = { ...over, revision: 2 };
      const answer = await scene.store.defer([
        deferral(moved, 1000, 1),
        deferral(over, 1000, 1),
        deferral(cancelled, 1000, 1),
      ]);
      expect(answer).toEqual({ timers: [], nowMs: NOW_MS });
      expect((await scene.store.find([key('a')]))[0]).toMatchObject({ claims: 0, fireAtMs: NOW_MS + 1001 });
    });

    it('counts claims up and down, and from 0 again after an outcome or another due time', async () => {
      const claimed = async (subject: string, times: number): Promise<Timer> => {
        let timer = await scene.schedule(wanted(subject));
        for (let at = 0; at < times; at += 1) {
          const [next] = (await scene.store.defer([deferral(timer, 1000, 1)])).timers;
          timer = next ?? timer;
        }
        return timer;
      };
      const [failed, given] = [await claimed('failed', 2), await claimed('given', 3)];
      await claimed('moved', 2);
      expect([failed.claims, given.claims]).toEqual([2, 3]);
      const { id: timerId, revision, fireAtMs } = failed;
      await scene.store.save([{ timerId, revision, fireAtMs, state: 'scheduled', attempt: 1, lastError: 'no' }]);
      await scene.store.change([{ target: key('moved'), change: 'shift', byMs: 1 }]);
      await scene.store.defer([deferral(given, 0, -1)]);
      const found = await scene.store.find([key('failed'), key('moved'), key('given')]);
      expect(found.map((timer) => timer?.claims)).toEqual([0, 0, 2]);
      // None of them is being called for now.
      expect(found.map((timer) => timer?.claimedAtMs)).toEqual([undefined, undefined, undefined]);
    });

    it('fires only what is still scheduled at the revision seen, and saves what became of it', async () => {
      const [one, two] = [await scene.schedule(wanted('a')), await scene.schedule(wanted('b'))];
      await scene.store.change([{ target: key('b'), change: 'shift', byMs: 1 }]);
      const answer = await scene.store.fire([two, one], async (tx, { timers, nowMs }) => {
        expect(timers.map(({ id }) => id)).toEqual([one.id]);
        expect(nowMs).toBe(NOW_MS);
        await scene.store.schedule([wanted('effect')], tx);
        return timers.map((timer) => completed(timer, { xp: 1 }));
      });
      expect(answer).toMatchObject({ timers: [{ id: one.id, state: 'scheduled' }], nowMs: NOW_MS });
      expect(await scene.store.find([{ timerId: one.id }, key('b'), key('effect')])).toMatchObject([
        { state: 'completed', revision: 2, result: { xp: 1 } },
        { state: 'scheduled' },
        { state: 'scheduled' },
      ]);
    });
  });
};
