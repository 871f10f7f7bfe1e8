import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Timer } from '../../server/timer/model/timer.ts';
import type { NewTimer, ScheduleRequest, TimerFields } from '../../server/timer/model/timer-changes.ts';
import type { DerivedChanges, PageCursor, TimerStore, TimerUpdate, Tx } from '../../server/timer/model/timer-store.ts';

export interface StoreUnderTest {
  readonly store: TimerStore;
  dispose(): Promise<void>;
}

const NOW_MS = 1_790_000_000_000;
type More = Partial<Omit<TimerFields, 'subject'> & Pick<ScheduleRequest, 'orMove'>>;
const wanted = (subject: string, delayMs = 1000, more: More = {}): ScheduleRequest => ({
  kind: 'order',
  subject,
  owner: 'ann',
  dueAtMs: NOW_MS + delayMs,
  ...more,
});
const key = (subject: string) => ({ kind: 'order', subject });

/** What every store owes the engine. `make` gets the clock that the store has to go by. */
export const timerStoreContract = (name: string, make: (nowMs: () => number) => Promise<StoreUnderTest>): void => {
  describe(`TimerStore: ${name}`, () => {
    let nowMs = NOW_MS;
    let under: StoreUnderTest;
    let store: TimerStore;
    beforeEach(async () => {
      nowMs = NOW_MS;
      under = await make(() => nowMs);
      store = under.store;
    });
    afterEach(() => under.dispose());

    const schedule = async (timer: NewTimer) => {
      const [outcome] = await store.schedule([timer]);
      if (outcome === undefined) throw new Error('no outcome');
      return outcome.timer;
    };

    const idsOf = async (subjects: readonly string[]): Promise<readonly string[]> =>
      (await store.find(subjects.map(key))).map((timer) => timer?.id ?? '');

    it('answers the new rows in the order of the requests, with ids that ascend between calls', async () => {
      const first = await schedule(wanted('z', 5, { payload: { a: [1, null] } }));
      const outcomes = await store.schedule([wanted('b'), wanted('a')]);
      expect(outcomes.map(({ timer }) => timer.subject)).toEqual(['b', 'a']);
      expect(first).toMatchObject({ state: 'scheduled', revision: 1, attempt: 0, payload: { a: [1, null] } });
      expect(first).toMatchObject({ dueAtMs: NOW_MS + 5, fireAtMs: NOW_MS + 5, createdAtMs: NOW_MS });
      expect(outcomes.every(({ timer }) => BigInt(timer.id) > BigInt(first.id))).toBe(true);
    });

    it('has at most one scheduled timer for each key, in one call and in two', async () => {
      const outcomes = await store.schedule([wanted('a', 1), wanted('a', 2)]);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['applied', 'duplicate']);
      const [again] = await store.schedule([wanted('a', 3)]);
      expect(again).toMatchObject({ outcome: 'duplicate', timer: { dueAtMs: NOW_MS + 1 } });
    });

    it('gives a key free when its timer is cancelled', async () => {
      await schedule(wanted('a'));
      await store.change([{ target: key('a'), change: 'cancel' }], []);
      const [again] = await store.schedule([wanted('a')]);
      expect(again?.outcome).toBe('applied');
    });

    it('sums shifts of one timer, by id and by key, in one call', async () => {
      const timer = await schedule(wanted('a', 1000));
      const outcomes = await store.change(
        [
          { target: { timerId: timer.id }, change: 'shift', byMs: 500 },
          { target: key('a'), change: 'shift', byMs: -200 },
          { target: { timerId: timer.id }, change: 'shift', byMs: 30 },
        ],
        [],
      );
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied']);
      expect((await store.find([key('a')]))[0]).toMatchObject({ dueAtMs: NOW_MS + 1330, revision: 4 });
    });

    it('resets attempts, error and fire time when the due time changes', async () => {
      const timer = await schedule(wanted('a'));
      await store.save([
        { timerId: timer.id, revision: 1, state: 'scheduled', fireAtMs: NOW_MS + 9000, attempt: 2, lastError: 'no' },
      ]);
      await store.change([{ target: key('a'), change: 'shift', byMs: -1 }], []);
      const [after] = await store.find([key('a')]);
      expect(after).toMatchObject({ attempt: 0, dueAtMs: NOW_MS + 999, fireAtMs: NOW_MS + 999 });
      expect(after?.lastError).toBeUndefined();
    });

    it('tells what was fired from what never was', async () => {
      const timer = await schedule(wanted('fired'));
      await schedule(wanted('cancelled'));
      await store.save([{ timerId: timer.id, revision: 1, state: 'completed', fireAtMs: timer.fireAtMs, attempt: 0 }]);
      await store.change([{ target: key('cancelled'), change: 'cancel' }], []);
      const outcomes = await store.change(
        [
          { target: key('fired'), change: 'cancel' },
          { target: { timerId: timer.id }, change: 'reschedule', dueAtMs: NOW_MS },
          { target: key('cancelled'), change: 'shift', byMs: 1 },
          { target: key('unknown'), change: 'cancel' },
        ],
        [],
      );
      expect(outcomes.map(({ outcome }) => outcome)).toEqual([
        'already-fired',
        'already-fired',
        'not-found',
        'not-found',
      ]);
    });

    it('revives a dead timer at once with no attempts, unless its key is taken', async () => {
      const timer = await schedule(wanted('a'));
      nowMs += 5000;
      const dead = { timerId: timer.id, revision: 1, state: 'dead' as const, fireAtMs: timer.fireAtMs, attempt: 16 };
      await store.save([{ ...dead, lastError: 'no' }]);
      expect(await store.listFailed('dead', ['order'], 10)).toHaveLength(1);
      const [revived] = await store.change([{ target: key('a'), change: 'revive' }], []);
      expect(revived).toMatchObject({ outcome: 'applied', timer: { state: 'scheduled', attempt: 0, fireAtMs: nowMs } });
      await store.save([{ ...dead, revision: 3 }]);
      await schedule(wanted('a'));
      const [taken] = await store.change([{ target: { timerId: timer.id }, change: 'revive' }], []);
      expect(taken?.outcome).toBe('duplicate');
    });

    it('changes no row of a derived kind, by id or by key', async () => {
      const timer = await schedule(wanted('a'));
      const outcomes = await store.change(
        [
          { target: { timerId: timer.id }, change: 'cancel' },
          { target: key('a'), change: 'shift', byMs: 1 },
        ],
        ['order'],
      );
      expect(outcomes).toEqual([{ outcome: 'derived' }, { outcome: 'derived' }]);
    });

    it('saves nothing over another revision', async () => {
      const timer = await schedule(wanted('a'));
      await store.change([{ target: key('a'), change: 'shift', byMs: 1 }], []);
      const stale = { timerId: timer.id, revision: 1, state: 'completed' as const, fireAtMs: 0, attempt: 0 };
      expect(await store.save([stale])).toEqual([]);
      expect((await store.find([key('a')]))[0]?.state).toBe('scheduled');
    });

    it('reads what is scheduled, and leaves out what is over, dead or unknown', async () => {
      const [open, over, dead] = [
        await schedule(wanted('a')),
        await schedule(wanted('b')),
        await schedule(wanted('c')),
      ];
      await store.change([{ target: key('b'), change: 'cancel' }], []);
      await store.save([{ timerId: dead.id, revision: 1, state: 'dead', fireAtMs: dead.fireAtMs, attempt: 1 }]);
      nowMs += 3;
      expect(await store.read([dead.id, over.id, open.id, '999'])).toEqual({ timers: [open], nowMs });
    });

    const deferral = ({ id, revision }: Timer, byMs: number, claims: 1 | 0 | -1) => ({
      timerId: id,
      revision,
      byMs,
      claims,
    });

    it('defers rows from its own time, counts claims, and changes nothing else of them', async () => {
      const [one, two] = [await schedule(wanted('a', 10)), await schedule(wanted('b', 20))];
      nowMs += 500;
      const { timers, nowMs: atMs } = await store.defer([deferral(two, 30_000, 0), deferral(one, 15_000, 1)]);
      expect(atMs).toBe(nowMs);
      const byId = new Map(timers.map((timer) => [timer.id, timer]));
      expect(byId.get(one.id)).toEqual({
        ...one,
        revision: 2,
        claims: 1,
        claimedAtMs: nowMs,
        fireAtMs: nowMs + 15_000,
      });
      expect(byId.get(two.id)).toEqual({ ...two, revision: 2, fireAtMs: nowMs + 30_000 });
      expect(await store.find([key('a'), key('b')])).toEqual([byId.get(one.id), byId.get(two.id)]);
      const overdue = await store.overdue({ kinds: ['order'], after: undefined, beforeMs: nowMs, limit: 10 });
      expect(overdue.entries).toEqual([]);
    });

    it('defers nothing that was moved or is over, and says its time all the same', async () => {
      const [moved, over] = [await schedule(wanted('a')), await schedule(wanted('b'))];
      await store.change([{ target: key('a'), change: 'shift', byMs: 1 }], []);
      await store.change([{ target: key('b'), change: 'cancel' }], []);
      const cancelled = { ...over, revision: 2 };
      const answer = await store.defer([
        deferral(moved, 1000, 1),
        deferral(over, 1000, 1),
        deferral(cancelled, 1000, 1),
      ]);
      expect(answer).toEqual({ timers: [], nowMs: NOW_MS });
      expect((await store.find([key('a')]))[0]).toMatchObject({ claims: 0, fireAtMs: NOW_MS + 1001 });
    });

    it('counts claims up and down, and from 0 again after an outcome or another due time', async () => {
      const claimed = async (subject: string, times: number): Promise<Timer> => {
        let timer = await schedule(wanted(subject));
        for (let at = 0; at < times; at += 1) {
          const [next] = (await store.defer([deferral(timer, 1000, 1)])).timers;
          timer = next ?? timer;
        }
        return timer;
      };
      const [failed, given] = [await claimed('failed', 2), await claimed('given', 3)];
      await claimed('moved', 2);
      expect([failed.claims, given.claims]).toEqual([2, 3]);
      const { id: timerId, revision, fireAtMs } = failed;
      await store.save([{ timerId, revision, fireAtMs, state: 'scheduled', attempt: 1, lastError: 'no' }]);
      await store.change([{ target: key('moved'), change: 'shift', byMs: 1 }], []);
      await store.defer([deferral(given, 0, -1)]);
      const found = await store.find([key('failed'), key('moved'), key('given')]);
      expect(found.map((timer) => timer?.claims)).toEqual([0, 0, 2]);
      // None of them is being called for now.
      expect(found.map((timer) => timer?.claimedAtMs)).toEqual([undefined, undefined, undefined]);
    });

    const completed = ({ id, revision, fireAtMs }: Timer, result?: unknown): TimerUpdate => ({
      timerId: id,
      revision,
      fireAtMs,
      attempt: 0,
      state: 'completed',
      result,
    });

    it('fires only what is still scheduled at the revision seen, and saves what became of it', async () => {
      const [one, two] = [await schedule(wanted('a')), await schedule(wanted('b'))];
      await store.change([{ target: key('b'), change: 'shift', byMs: 1 }], []);
      const answer = await store.fire([two, one], async (tx, { timers, nowMs }) => {
        expect(timers.map(({ id }) => id)).toEqual([one.id]);
        expect(nowMs).toBe(NOW_MS);
        await store.schedule([wanted('effect')], tx);
        return timers.map((timer) => completed(timer, { xp: 1 }));
      });
      expect(answer).toMatchObject({ timers: [{ id: one.id, state: 'scheduled' }], nowMs: NOW_MS });
      expect(await store.find([{ timerId: one.id }, key('b'), key('effect')])).toMatchObject([
        { state: 'completed', revision: 2, result: { xp: 1 } },
        { state: 'scheduled' },
        { state: 'scheduled' },
      ]);
    });

    const again = ({ id, revision, turn }: Timer, dueAtMs: number, payload?: unknown): TimerUpdate => ({
      timerId: id,
      revision,
      fireAtMs: dueAtMs,
      attempt: 0,
      state: 'scheduled',
      again: { dueAtMs, turn: turn + 1, payload },
    });

    it('lets a timer come again in its row: the next turn, with nothing left of the one before but its payload', async () => {
      const timer = await schedule(wanted('a', 0, { payload: { day: 1 } }));
      await store.save([
        { timerId: timer.id, revision: 1, state: 'scheduled', fireAtMs: NOW_MS, attempt: 2, lastError: 'no' },
      ]);
      const [failed] = await store.find([key('a')]);
      if (failed === undefined) throw new Error('no timer');
      await store.fire([failed], async (_tx, { timers }) => timers.map((one) => again(one, NOW_MS + 50)));
      const [second] = await store.find([{ timerId: timer.id }]);
      expect(second).toMatchObject({ state: 'scheduled', turn: 2, revision: 3, attempt: 0, claims: 0 });
      expect(second).toMatchObject({ dueAtMs: NOW_MS + 50, fireAtMs: NOW_MS + 50, payload: { day: 1 } });
      expect([second?.lastError, second?.result]).toEqual([undefined, undefined]);
      if (second === undefined) return;
      await store.fire([second], async (_tx, { timers }) => timers.map((one) => again(one, NOW_MS + 99, { day: 2 })));
      expect(await store.find([key('a')])).toMatchObject([{ id: timer.id, turn: 3, revision: 4, payload: { day: 2 } }]);
    });

    it('keeps on the row how a timer comes again and what becomes of it when it is late', async () => {
      const every = { ms: 60_000, times: 3 };
      const cron = { expression: '0 0 * * *', timeZone: 'Europe/Berlin' };
      const policy = { late: 'skip', afterMs: 5 } as const;
      const scheduled = await schedule(wanted('a', 0, { every, misfire: policy }));
      await schedule(wanted('b', 0, { cron }));
      await schedule(wanted('c'));
      const [a, b, c] = await store.find([key('a'), key('b'), key('c')]);
      expect(a).toEqual(scheduled);
      expect([a?.recurrence, a?.misfire, a?.lateness]).toEqual([{ every }, policy, undefined]);
      expect([b?.recurrence, b?.misfire]).toEqual([{ cron }, undefined]);
      expect([c?.recurrence, c?.misfire]).toEqual([undefined, undefined]);
      await store.save([again(scheduled, NOW_MS + 60_000)]);
      expect(await store.find([key('a')])).toMatchObject([{ turn: 2, recurrence: { every }, misfire: policy }]);
      const { timers } = await store.read([scheduled.id]);
      expect(timers).toEqual(await store.find([key('a')]));
    });

    it('moves a row to a turn that is not the next, and keeps what the turn was judged to be until it is over or moved', async () => {
      const timer = await schedule(wanted('a', 0, { every: { ms: 1000 } }));
      const late = { turn: 5, dueAtMs: NOW_MS + 4000, lateMs: 200, missed: 4, isMisfire: true };
      const { id: timerId } = timer;
      const row = { timerId, state: 'scheduled' as const, fireAtMs: NOW_MS + 4000, attempt: 0 };
      const to = { turn: 5, dueAtMs: NOW_MS + 4000 };
      await store.save([{ ...row, revision: 1, again: to, lateness: late }]);
      expect((await store.find([key('a')]))[0]).toMatchObject({
        ...to,
        fireAtMs: NOW_MS + 4000,
        revision: 2,
        lateness: late,
      });
      await store.save([{ ...row, revision: 2, attempt: 1, fireAtMs: NOW_MS + 9000, lastError: 'no' }]);
      await store.defer([{ timerId, revision: 3, byMs: 10, claims: 1 }]);
      const found = await store.find([key('a')]);
      expect(found).toMatchObject([{ attempt: 1, claims: 1, lateness: late }]);
      const { timers } = await store.fire(
        found.flatMap((one) => one ?? []),
        async () => [],
      );
      expect(timers).toMatchObject([{ lateness: late }]);
      await store.change([{ target: key('a'), change: 'shift', byMs: 1 }], []);
      expect((await store.find([key('a')]))[0]?.lateness).toBeUndefined();
    });

    it('lets a dead timer keep its turn, and revives it there', async () => {
      const timer = await schedule(wanted('a', 0, { every: { ms: 1000 } }));
      const { id: timerId } = timer;
      const lateness = { turn: 3, dueAtMs: NOW_MS + 2000, lateMs: 5, missed: 2, isMisfire: true };
      const again = { turn: 3, dueAtMs: NOW_MS + 2000 };
      const dead = { timerId, revision: 1, state: 'dead' as const, fireAtMs: NOW_MS, attempt: 0, lastError: 'late' };
      await store.save([{ ...dead, again, lateness }]);
      nowMs += 9000;
      await store.change([{ target: key('a'), change: 'revive' }], []);
      expect(await store.find([key('a')])).toMatchObject([
        { ...again, state: 'scheduled', fireAtMs: nowMs, recurrence: { every: { ms: 1000 } }, lateness },
      ]);
    });

    it('has a shift that came while a timer was fired hit the coming turn, or tell that it was too late', async () => {
      const [coming, over] = [await schedule(wanted('coming', 0)), await schedule(wanted('over', 0))];
      const shifts: Promise<unknown>[] = [];
      await store.fire([coming, over], async (_tx, { timers }) => {
        for (const { id: timerId } of timers)
          shifts.push(store.change([{ target: { timerId }, change: 'shift', byMs: 7 }], []));
        return timers.map((one) => (one.id === coming.id ? again(one, NOW_MS + 50) : completed(one)));
      });
      expect(await Promise.all(shifts)).toMatchObject([
        [{ outcome: 'applied', timer: { turn: 2, dueAtMs: NOW_MS + 57 } }],
        [{ outcome: 'already-fired' }],
      ]);
    });

    it('gives each try a transaction of its own, which is of no use afterwards', async () => {
      const timer = await schedule(wanted('a', 0));
      const given: Tx[] = [];
      const failing = store.fire([timer], async (tx) => {
        given.push(tx);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await store.fire([timer], async (tx, { timers }) => {
        given.push(tx);
        return timers.map((one) => completed(one));
      });
      expect(given[0]).not.toBe(given[1]);
      for (const tx of given) await expect(store.schedule([wanted('late')], tx)).rejects.toThrow('is over');
      expect(await store.find([key('late')])).toEqual([undefined]);
    });

    it('tells a transaction when it began', async () => {
      nowMs += 5;
      expect(await store.transaction(async (_tx, beganAtMs) => beganAtMs)).toBe(NOW_MS + 5);
    });

    it('fires nothing where the work throws, and saves nothing where it answers nothing', async () => {
      const timer = await schedule(wanted('a'));
      const failing = store.fire([timer], async (tx) => {
        await store.schedule([wanted('effect')], tx);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await store.fire([timer], async () => []);
      expect(await store.find([key('a'), key('effect')])).toMatchObject([
        { state: 'scheduled', revision: 1 },
        undefined,
      ]);
    });

    it('changes nothing when a transaction throws', async () => {
      const timer = await schedule(wanted('a'));
      const failing = store.transaction(async (tx) => {
        await store.schedule([wanted('b')], tx);
        await store.change([{ target: { timerId: timer.id }, change: 'cancel' }], [], tx);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect((await store.listByOwners(['ann'])).map(({ subject }) => subject)).toEqual(['a']);
    });

    it('cancels an owner’s timers, but not those of the excepted kinds, nor those named', async () => {
      await store.schedule([wanted('a'), wanted('b', 1, { kind: 'feeding' }), wanted('c', 1, { owner: 'bob' })]);
      const cancelled = await store.changeByOwner({ owners: ['ann'], change: 'cancel' }, { kinds: ['feeding'] });
      expect(cancelled.map(({ subject, state }) => [subject, state])).toEqual([['a', 'cancelled']]);
      const left = await schedule(wanted('left'));
      await schedule(wanted('gone'));
      const others = await store.changeByOwner(
        { owners: ['ann'], change: 'cancel' },
        { kinds: ['feeding'], timerIds: [left.id] },
      );
      expect(others.map(({ subject }) => subject)).toEqual(['gone']);
    });

    describe('rows of derived kinds', () => {
      const changeDerived = (changes: DerivedChanges) =>
        store.transaction((tx) => store.changeDerived(tx, changes, NOW_MS));
      const put = (subject: string, delayMs: number, owner = 'ann') => ({
        ...key(subject),
        owner,
        dueAtMs: NOW_MS + delayMs,
      });

      it('begin with a put, and move with the next one: the same row, with all attempts before it', async () => {
        const { put: begun, remove } = await changeDerived({ put: [put('a', 5), put('b', 6)] });
        expect([begun.map(({ revision }) => revision), remove]).toEqual([[1, 1], []]);
        const [row] = await store.find([key('a')]);
        const failed = { timerId: row?.id ?? '', revision: 1, state: 'scheduled', fireAtMs: NOW_MS + 99 } as const;
        await store.save([{ ...failed, attempt: 3, lastError: 'no' }]);
        const moved = await changeDerived({ put: [put('a', 77)] });
        expect(moved).toEqual({
          put: [{ timerId: row?.id, owner: 'ann', fireAtMs: NOW_MS + 77, revision: 3 }],
          remove: [],
        });
        expect(await store.find([key('a')])).toMatchObject([
          { id: row?.id, dueAtMs: NOW_MS + 77, attempt: 0, lastError: undefined, turn: 1, createdAtMs: NOW_MS },
        ]);
        expect((await store.listByOwners(['ann'])).map(({ subject }) => subject)).toEqual(['b', 'a']);
      });

      it('are gone when they end, beside others that move or begin in the same statement', async () => {
        await changeDerived({ put: [put('a', 1), put('b', 2)] });
        const [ended] = await store.find([key('a')]);
        const { put: there, remove } = await changeDerived({
          put: [put('b', 3), put('c', 4)],
          end: [key('a'), key('unknown')],
        });
        expect(remove).toEqual([{ timerId: ended?.id, owner: 'ann', fireAtMs: NOW_MS + 1, revision: 2 }]);
        expect(there.map(({ fireAtMs, revision }) => [fireAtMs, revision]).sort()).toEqual([
          [NOW_MS + 3, 2],
          [NOW_MS + 4, 1],
        ]);
        expect(await store.find([key('a'), { timerId: ended?.id ?? '' }])).toEqual([undefined, undefined]);
        expect((await store.read([ended?.id ?? ''])).timers).toEqual([]);
        expect((await store.page(undefined, 10)).entries).toHaveLength(2);
        expect(await store.prune(NOW_MS + 1_000_000, 10)).toBe(0);
      });

      it('that ended and begin again are another timer: nothing that the index still has of the old one is newer', async () => {
        await changeDerived({ put: [put('a', 1)] });
        await changeDerived({ put: [put('a', 2)] });
        const { remove } = await changeDerived({ end: [key('a')] });
        const { put: again } = await changeDerived({ put: [put('a', 3)] });
        expect(Number(again[0]?.timerId)).toBeGreaterThan(Number(remove[0]?.timerId));
        const late = { timerId: remove[0]?.timerId ?? '', revision: 2, byMs: 5, claims: 0 } as const;
        expect((await store.defer([late])).timers).toEqual([]);
        expect(await store.find([key('a')])).toMatchObject([{ id: again[0]?.timerId, fireAtMs: NOW_MS + 3 }]);
      });

      it('that another owner has at the key end, and begin anew', async () => {
        const { put: foreign } = await changeDerived({ put: [put('a', 1, 'bob')] });
        const { put: own, remove } = await changeDerived({ put: [put('a', 2)] });
        expect(remove).toMatchObject([{ timerId: foreign[0]?.timerId, owner: 'bob' }]);
        expect(own).toMatchObject([{ owner: 'ann', fireAtMs: NOW_MS + 2, revision: 1 }]);
        expect(await store.listByOwners(['bob'])).toEqual([]);
      });

      it('stay as they were when the transaction fails', async () => {
        await changeDerived({ put: [put('a', 1), put('b', 2)] });
        const failing = store.transaction(async (tx) => {
          await store.changeDerived(tx, { put: [put('a', 9)], end: [key('b')] }, NOW_MS);
          throw new Error('planned');
        });
        await expect(failing).rejects.toThrow('planned');
        expect((await store.listByOwners(['ann'])).map(({ fireAtMs }) => fireAtMs)).toEqual([NOW_MS + 1, NOW_MS + 2]);
      });
    });

    it('pages through the scheduled rows by time and id without gap or double', async () => {
      await store.schedule(Array.from({ length: 25 }, (_, at) => wanted(`s${at}`, at % 3)));
      const seen: string[] = [];
      for (let page = await store.page(undefined, 4); ; page = await store.page(page.next, 4)) {
        seen.push(...page.entries.map(({ timerId }) => timerId));
        if (page.next === undefined) break;
      }
      const inOrder = (await store.listByOwners(['ann'])).map(({ id }) => id);
      expect(seen).toEqual(inOrder);
    });

    it('lists overdue rows of the asked kinds, earliest first, and not one millisecond early', async () => {
      await store.schedule([wanted('b', 2), wanted('a', 1), wanted('c', 3), wanted('d', 1, { kind: 'other' })]);
      const ids = await idsOf(['a', 'b']);
      const query = { kinds: ['order'], after: undefined, beforeMs: NOW_MS + 2, limit: 10 };
      const { entries, next } = await store.overdue(query);
      expect(entries.map(({ timerId }) => timerId)).toEqual(ids);
      expect(entries[0]).toEqual({ timerId: ids[0], owner: 'ann', fireAtMs: NOW_MS + 1, revision: 1 });
      expect(next).toBeUndefined();
    });

    it('goes on behind overdue rows of other kinds, however many, a bounded number of rows at a time', async () => {
      await store.schedule(Array.from({ length: 25 }, (_, at) => wanted(`o${at}`, 1, { kind: 'other' })));
      await store.schedule([wanted('a', 1), wanted('b', 2)]);
      const seen: string[] = [];
      let pages = 0;
      for (let after: PageCursor | undefined; ; ) {
        const page = await store.overdue({ kinds: ['order'], after, beforeMs: NOW_MS + 9, limit: 10 });
        pages += 1;
        seen.push(...page.entries.map(({ timerId }) => timerId));
        if (page.next === undefined) break;
        after = page.next;
      }
      expect(seen).toEqual(await idsOf(['a', 'b']));
      expect(pages).toBe(3);
    });

    it('remembers every kind that was ever registered, once', async () => {
      expect([...(await store.registeredKinds())]).toEqual([]);
      await store.registerKinds(['order', 'hint']);
      await store.registerKinds(['order', 'feeding']);
      await store.registerKinds([]);
      expect([...(await store.registeredKinds())].sort()).toEqual(['feeding', 'hint', 'order']);
    });

    it('prunes what is finished and old, never what is scheduled or dead', async () => {
      const [done, dead] = [await schedule(wanted('done')), await schedule(wanted('dead'))];
      await schedule(wanted('open'));
      await store.save([
        { timerId: done.id, revision: 1, state: 'completed', fireAtMs: 0, attempt: 0 },
        { timerId: dead.id, revision: 1, state: 'dead', fireAtMs: 0, attempt: 1 },
      ]);
      expect(await store.prune(NOW_MS, 10)).toBe(0);
      expect(await store.prune(NOW_MS + 1, 10)).toBe(1);
      expect(await store.find([{ timerId: done.id }, { timerId: dead.id }])).toMatchObject([
        undefined,
        { state: 'dead' },
      ]);
    });

    it('remembers which kinds are paused', async () => {
      await store.setPaused('order', true);
      await store.setPaused('order', true);
      expect([...(await store.pausedKinds())]).toEqual(['order']);
      await store.setPaused('order', false);
      expect([...(await store.pausedKinds())]).toEqual([]);
    });
  });
};
