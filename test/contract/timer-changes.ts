import { beforeEach, describe, expect, it } from 'vitest';
import { PAUSED_UNTIL_MS, type Timer } from '../../server/timer/model/timer.ts';
import type {
  ChangeOutcome,
  ScheduleRequest,
  TimerChange,
  TimerTarget,
} from '../../server/timer/model/timer-changes.ts';
import type { TimerCommand } from '../../server/timer/model/timer-store.ts';
import { key, type MakeStore, NOW_MS, StoreScene, wanted as wantedAt } from './timer-store/store-scene.ts';

type More = Partial<Pick<ScheduleRequest, 'kind' | 'owner' | 'payload' | 'orMove'>>;
const wanted = (subject: string, more: More = {}, delayMs = 1000): ScheduleRequest => wantedAt(subject, delayMs, more);

type Change = TimerChange extends infer Each ? (Each extends TimerChange ? Omit<Each, 'target'> : never) : never;

/** The contract of every store for moving, ending, pausing and resuming timers. `make` gets the store's clock. */
export const timerChangesContract = (name: string, make: MakeStore): void => {
  describe(`Changes of timers: ${name}`, () => {
    const scene = StoreScene.each(make);

    const change = async (target: TimerTarget, what: Change): Promise<ChangeOutcome> => {
      const [outcome] = await scene.store.change([{ target, ...what }]);
      if (outcome === undefined) throw new Error('no outcome');
      return outcome;
    };
    const found = async (subject: string): Promise<Timer | undefined> => (await scene.store.find([key(subject)]))[0];
    const saved = async (subject: string): Promise<Timer> => {
      const timer = await found(subject);
      if (timer === undefined) throw new Error('not saved');
      return timer;
    };
    /** Failed twice, and to be tried again later. */
    const failing = async (subject: string): Promise<Timer> => {
      const { id: timerId } = await scene.schedule(wanted(subject));
      const failed = { timerId, revision: 1, state: 'scheduled' as const, attempt: 2, lastError: 'no' };
      await scene.store.save([{ ...failed, fireAtMs: NOW_MS + 60_000 }]);
      return saved(subject);
    };
    const dead = async (subject: string): Promise<Timer> => {
      const { id: timerId, fireAtMs } = await scene.schedule(wanted(subject));
      await scene.store.save([{ timerId, revision: 1, state: 'dead', attempt: 16, fireAtMs, lastError: 'no' }]);
      return saved(subject);
    };

    it('schedules so long after its own time, whatever the caller’s clock says', async () => {
      scene.nowMs += 70_000;
      const { inMs: _, dueAtMs: __, ...rest } = wanted('a');
      const outcomes = await scene.store.schedule([{ ...rest, inMs: 5000 }, wanted('b')]);
      expect(outcomes).toMatchObject([
        {
          outcome: 'applied',
          timer: { dueAtMs: scene.nowMs + 5000, fireAtMs: scene.nowMs + 5000, createdAtMs: scene.nowMs },
        },
        { outcome: 'applied', timer: { dueAtMs: NOW_MS + 1000 } },
      ]);
      expect(await scene.store.listByOwners(['ann'])).toEqual([outcomes[1]?.timer, outcomes[0]?.timer]);
    });

    it('reschedules so long after its own time, by id and by key', async () => {
      const { id: timerId } = await scene.schedule(wanted('a'));
      await scene.schedule(wanted('b'));
      scene.nowMs += 70_000;
      expect(await change({ timerId }, { change: 'reschedule', inMs: 30 })).toMatchObject({
        outcome: 'applied',
        timer: { dueAtMs: scene.nowMs + 30, fireAtMs: scene.nowMs + 30, updatedAtMs: scene.nowMs, revision: 2 },
      });
      expect(await change(key('b'), { change: 'reschedule', inMs: -10 })).toMatchObject({
        timer: { dueAtMs: scene.nowMs - 10, fireAtMs: scene.nowMs },
      });
    });

    it('shifts an owner’s timers, of the kinds asked for, but not those excepted', async () => {
      await scene.store.schedule([
        wanted('a'),
        wanted('b', { kind: 'hint' }),
        wanted('d', { owner: 'bob' }),
        wanted('e', { owner: 'cid' }),
      ]);
      const spared = await scene.schedule(wanted('f'));
      const except = [spared.id];
      const owners = ['ann', 'bob'];
      const hints = await scene.store.changeByOwner({ owners, kinds: ['hint'], change: 'shift', byMs: 5 }, except);
      expect(hints.map(({ subject, dueAtMs }) => [subject, dueAtMs])).toEqual([['b', NOW_MS + 1005]]);
      const all = await scene.store.changeByOwner({ owners, change: 'shift', byMs: -3000 }, except);
      expect(Object.fromEntries(all.map(({ subject, dueAtMs, fireAtMs }) => [subject, [dueAtMs, fireAtMs]]))).toEqual({
        a: [NOW_MS - 2000, NOW_MS],
        b: [NOW_MS - 1995, NOW_MS],
        d: [NOW_MS - 2000, NOW_MS],
      });
      expect(await scene.store.listByOwners(['cid'])).toMatchObject([{ dueAtMs: NOW_MS + 1000, revision: 1 }]);
      expect((await found('f'))?.revision).toBe(1);
    });

    it('schedules or moves: the one that has the key keeps what it is not given', async () => {
      const orMove = true;
      const first = await failing('a');
      const outcomes = await scene.store.schedule([
        wanted('b', { orMove, payload: 1 }),
        wanted('a', { orMove }, 50),
        wanted('b', { orMove, payload: 2 }, 60),
        wanted('b', { orMove }, 70),
        wanted('b', {}, 80),
      ]);
      expect(outcomes.map((one) => one?.outcome)).toEqual(['applied', 'moved', 'moved', 'moved', 'duplicate']);
      expect(outcomes[1]?.timer).toEqual({
        ...{ ...first, dueAtMs: NOW_MS + 50, fireAtMs: NOW_MS + 50 },
        ...{ attempt: 0, lastError: undefined, revision: 3 },
      });
      expect(await found('b')).toMatchObject({ dueAtMs: NOW_MS + 70, fireAtMs: NOW_MS + 70, payload: 2, revision: 3 });
    });

    it('schedules or moves from its own time', async () => {
      await scene.schedule(wanted('a'));
      scene.nowMs += 9000;
      const inTime = { kind: 'order', owner: 'ann', orMove: true, inMs: 40 } as const;
      const outcomes = await scene.store.schedule([
        { ...inTime, subject: 'a' },
        { ...inTime, subject: 'b' },
      ]);
      expect(outcomes).toMatchObject([
        { outcome: 'moved', timer: { dueAtMs: scene.nowMs + 40 } },
        {
          outcome: 'applied',
          timer: { dueAtMs: scene.nowMs + 40, fireAtMs: scene.nowMs + 40, revision: 1, attempt: 0, turn: 1 },
        },
      ]);
    });

    it('moves no other owner’s timer, and schedules anew where the one with the key is over', async () => {
      const orMove = true;
      const bobs = await scene.schedule(wanted('a', { owner: 'bob' }));
      await scene.schedule(wanted('b'));
      await change(key('b'), { change: 'cancel' });
      expect(await scene.store.schedule([wanted('a', { orMove }, 5), wanted('b', { orMove }, 6)])).toMatchObject([
        { outcome: 'duplicate', timer: bobs },
        { outcome: 'applied', timer: { dueAtMs: NOW_MS + 6 } },
      ]);
    });

    it('completes a timer without firing it, and keeps the result', async () => {
      const { id: timerId } = await scene.schedule(wanted('a'));
      await dead('b');
      expect(await change({ timerId }, { change: 'complete', result: { by: 'hand' } })).toMatchObject({
        outcome: 'applied',
        timer: { id: timerId, state: 'completed', result: { by: 'hand' }, revision: 2 },
      });
      expect(await change(key('b'), { change: 'complete' })).toMatchObject({
        outcome: 'applied',
        timer: { state: 'completed', result: undefined },
      });
      expect(await change(key('a'), { change: 'complete' })).toEqual({ outcome: 'already-fired' });
      expect(await change(key('c'), { change: 'complete' })).toEqual({ outcome: 'not-found' });
    });

    it('makes a timer due now, by its own time, with all attempts before it', async () => {
      await failing('a');
      scene.nowMs += 500;
      expect(await change(key('a'), { change: 'fire-now' })).toMatchObject({
        outcome: 'applied',
        timer: { dueAtMs: scene.nowMs, fireAtMs: scene.nowMs, attempt: 0, lastError: undefined },
      });
    });

    it('holds a timer back: it keeps its due time, attempts and place among the scheduled ones', async () => {
      const timer = await failing('a');
      const outcome = await change({ timerId: timer.id }, { change: 'pause' });
      const paused = { ...timer, isPaused: true, fireAtMs: PAUSED_UNTIL_MS, revision: 3 };
      expect(outcome).toEqual({ outcome: 'applied', timer: paused });
      expect(await scene.store.listByOwners(['ann'])).toEqual([paused]);
      scene.nowMs += 1e9;
      const overdue = { kinds: ['order'], after: undefined, beforeMs: scene.nowMs, limit: 9 };
      expect((await scene.store.overdue(overdue)).entries).toEqual([]);
      expect((await scene.store.page(undefined, 9)).entries).toMatchObject([
        { timerId: timer.id, fireAtMs: PAUSED_UNTIL_MS },
      ]);
      expect((await scene.store.fire([timer], async () => [])).timers).toEqual([]);
    });

    describe('of a paused timer', () => {
      const resumeLateMs = 5000;
      let paused: Timer;
      beforeEach(async () => {
        const outcome = await change({ timerId: (await failing('a')).id }, { change: 'pause' });
        if (outcome.outcome !== 'applied') throw new Error('not paused');
        paused = outcome.timer;
        scene.nowMs += resumeLateMs;
      });

      const still = { isPaused: true, fireAtMs: PAUSED_UNTIL_MS, state: 'scheduled' };
      const free = { isPaused: false, state: 'scheduled' };
      const late = NOW_MS + resumeLateMs;

      it.each<[string, Change, object]>([
        ['reschedule', { change: 'reschedule', dueAtMs: NOW_MS + 77 }, { ...still, dueAtMs: NOW_MS + 77, attempt: 0 }],
        ['reschedule from now', { change: 'reschedule', inMs: 7 }, { ...still, dueAtMs: late + 7, attempt: 0 }],
        ['shift', { change: 'shift', byMs: 50 }, { ...still, dueAtMs: NOW_MS + 1050, attempt: 0 }],
        ['pause', { change: 'pause' }, { ...still, dueAtMs: NOW_MS + 1000, attempt: 2 }],
        ['revive', { change: 'revive' }, { ...still, dueAtMs: NOW_MS + 1000, attempt: 2 }],
        ['resume', { change: 'resume' }, { ...free, dueAtMs: NOW_MS + 1000, fireAtMs: late, attempt: 2 }],
        ['fire now', { change: 'fire-now' }, { ...free, dueAtMs: late, fireAtMs: late, attempt: 0 }],
        ['cancel', { change: 'cancel' }, { state: 'cancelled', isPaused: false }],
        ['complete', { change: 'complete', result: 1 }, { state: 'completed', isPaused: false, result: 1 }],
      ])('%s', async (_name, what, expected) => {
        expect(await change(key('a'), what)).toMatchObject({ outcome: 'applied', timer: expected });
        expect(await scene.store.find([{ timerId: paused.id }])).toMatchObject([expected]);
      });

      it('schedule is a duplicate; schedule or move moves it, and it stays paused', async () => {
        expect(await scene.store.schedule([wanted('a'), wanted('a', { orMove: true }, 9)])).toMatchObject([
          { outcome: 'duplicate', timer: still },
          { outcome: 'moved', timer: { ...still, dueAtMs: NOW_MS + 9 } },
        ]);
      });

      it('shift by owner moves it, and it stays paused; cancel by owner cancels it', async () => {
        const [shifted] = await scene.store.changeByOwner({ owners: ['ann'], change: 'shift', byMs: 5 }, []);
        expect(shifted).toMatchObject({ ...still, dueAtMs: NOW_MS + 1005 });
        const [cancelled] = await scene.store.changeByOwner({ owners: ['ann'], change: 'cancel' }, []);
        expect(cancelled).toMatchObject({ state: 'cancelled', isPaused: false });
      });
    });

    it('resumes a timer before it is due for its due time', async () => {
      await scene.schedule(wanted('a'));
      await change(key('a'), { change: 'pause' });
      scene.nowMs += 10;
      expect(await change(key('a'), { change: 'resume' })).toMatchObject({
        timer: { isPaused: false, dueAtMs: NOW_MS + 1000, fireAtMs: NOW_MS + 1000 },
      });
    });

    it('leaves a timer as it is that is resumed and was not paused', async () => {
      const timer = await failing('a');
      expect(await change(key('a'), { change: 'resume' })).toEqual({ outcome: 'applied', timer });
    });

    it.each(['pause', 'resume', 'fire-now'] as const)('%s comes too late for a dead timer', async (what) => {
      await dead('a');
      expect(await change(key('a'), { change: what })).toEqual({ outcome: 'already-fired' });
      expect(await change(key('b'), { change: what })).toEqual({ outcome: 'not-found' });
    });

    it('applies changes of one timer one after the other', async () => {
      const { id: timerId } = await scene.schedule(wanted('a'));
      const outcomes = await scene.store.change([
        { target: { timerId }, change: 'pause' },
        { target: key('a'), change: 'shift', byMs: 5 },
        { target: { timerId }, change: 'resume' },
        { target: key('a'), change: 'complete', result: 'x' },
        { target: { timerId }, change: 'pause' },
      ]);
      expect(outcomes.map((one) => one?.outcome)).toEqual([...Array(4).fill('applied'), 'already-fired']);
      expect(await found('a')).toMatchObject({ dueAtMs: NOW_MS + 1005, result: 'x', revision: 5 });
    });

    describe('a command', () => {
      const command = (id: string, body: object = { shift: 1 }) => ({ id, body });
      const doOnce = <T>(wish: TimerCommand, work: () => Promise<T>) =>
        scene.store.transaction((tx) => scene.store.once(wish, work, tx));

      it('is done once, and returns what it returned, as JSON has it', async () => {
        let times = 0;
        const work = async () => {
          times += 1;
          return [{ times, none: undefined }];
        };
        expect(await doOnce(command('a'), work)).toEqual([{ times: 1 }]);
        expect(await doOnce(command('a'), work)).toEqual([{ times: 1 }]);
        expect(await doOnce(command('b'), work)).toEqual([{ times: 2 }]);
      });

      it('is not done where its id stands for another', async () => {
        await doOnce(command('a'), async () => ['first']);
        expect(await doOnce(command('a', { shift: 2 }), async () => ['second'])).toBeUndefined();
        expect(await doOnce(command('a'), async () => ['third'])).toEqual(['first']);
      });

      it('counts as done only with the commit', async () => {
        const failing = scene.store.transaction(async (tx) => {
          await scene.store.once(command('a'), async () => ['first'], tx);
          throw new Error('no');
        });
        await expect(failing).rejects.toThrow('no');
        expect(await doOnce(command('a', { shift: 2 }), async () => ['second'])).toEqual(['second']);
      });

      it('that two do at once is done by one, and the other gets its answer', async () => {
        let times = 0;
        const work = async () => {
          times += 1;
          return [times];
        };
        expect(await Promise.all([doOnce(command('a'), work), doOnce(command('a'), work)])).toEqual([[1], [1]]);
      });

      it('is forgotten when it is old, a few at a time', async () => {
        for (const id of ['a', 'b', 'c']) await doOnce(command(id), async () => [id]);
        expect(await scene.store.pruneCommands(NOW_MS, 9)).toBe(0);
        expect(await scene.store.pruneCommands(NOW_MS + 1, 2)).toBe(2);
        expect(await scene.store.pruneCommands(NOW_MS + 1, 2)).toBe(1);
        expect(await doOnce(command('a', { shift: 2 }), async () => ['anew'])).toEqual(['anew']);
      });
    });
  });
};
