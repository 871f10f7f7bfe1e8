import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { again } from '../../../server/timer/fire/again.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { ChangeOutcome } from '../../../server/timer/model/timer-changes.ts';
import type { HandlerTx } from '../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import type { TimerRequest } from '../../../server/timer/model/timer-writes.ts';
import { countOf } from '../../support/engine/due-index.ts';
import { sabotaged } from '../../support/engine/sabotaged.ts';
import { makeEngine, makeMemoryEngine, NOW_MS } from '../../support/engine/timer-engine.ts';

const MINUTE_MS = 60_000;
const NEXT_MS = NOW_MS + MINUTE_MS;

const order = (subject: string, delayMs = 0, payload: unknown = { day: 1 }) => ({
  kind: 'order',
  subject,
  owner: 'ann',
  dueAtMs: NOW_MS + delayMs,
  payload,
});
const key = (subject: string) => ({ kind: 'order', subject });
const hourly = (subject = 'a') => ({ ...order(subject), every: { ms: 3_600_000 } });
const next = (subject = 'a', dueAtMs = NEXT_MS) => ({ ...key(subject), owner: 'ann', dueAtMs });

describe.each([
  ['Postgres', makeEngine],
  ['memory', makeMemoryEngine],
])('on the store in %s, a handler', (_name, make) => {
  let under: Omit<Awaited<ReturnType<typeof makeMemoryEngine>>, 'store'>;
  beforeEach(async () => {
    under = await make();
    await under.engine.runDue();
  });
  afterEach(() => under.dispose());

  const find = async (subject = 'a'): Promise<Timer> => {
    const [timer] = await under.timers.find([key(subject)]);
    if (timer === undefined) throw new Error(`no timer ${subject}`);
    return timer;
  };

  /** Fires the timer `a`, and others, once with this handler; what comes after that completes. */
  const fireOnce = async (
    work: (tx: HandlerTx, timers: readonly Timer[]) => Promise<unknown>,
    due: readonly TimerRequest[] = [order('a')],
  ): Promise<Timer> => {
    let tries = 0;
    under.engine.register({
      kind: 'order',
      fire: async (timers, tx) => {
        tries += 1;
        const results = tries > 1 ? undefined : await work(tx, timers);
        return results instanceof Map ? results : undefined;
      },
    });
    await under.timers.schedule(due);
    const before = await find();
    await under.engine.runDue();
    return before;
  };

  it('that writes nothing completes its timer', async () => {
    await fireOnce(async (_tx, timers) => new Map(timers.map(({ id }) => [id, { xp: 1 }])));
    expect(await find()).toMatchObject({ state: 'completed', revision: 2, turn: 1, result: { xp: 1 } });
  });

  it('that schedules the key of its timer lets it come again: same row, next turn, in the index', async () => {
    const outcomes: unknown[] = [];
    const { id } = await fireOnce(async (tx, timers) => {
      outcomes.push(...(await tx.timers.schedule([next()])));
      return new Map(timers.map((timer) => [timer.id, 'is not kept']));
    });
    const after = await find();
    expect(after).toMatchObject({ id, state: 'scheduled', turn: 2, revision: 2, attempt: 0, claims: 0 });
    expect(after).toMatchObject({ dueAtMs: NEXT_MS, fireAtMs: NEXT_MS, payload: { day: 1 }, result: undefined });
    expect(outcomes).toEqual([{ outcome: 'applied', timer: after }]);
    expect(await under.index.orders.listByOwner('ann')).toMatchObject([{ timerId: id, fireAtMs: NEXT_MS }]);
    under.clock.advance(MINUTE_MS);
    await under.engine.runDue();
    expect(await find()).toMatchObject({ id, state: 'completed', turn: 2, revision: 3 });
  });

  it('that failed before and then schedules its timer counts its attempts anew', async () => {
    let tries = 0;
    const outcomes: unknown[] = [];
    under.engine.register({
      kind: 'order',
      retryDelaysMs: [1000],
      fire: async (_timers, tx) => {
        tries += 1;
        if (tries === 1) throw new Error('no');
        if (tries === 2) outcomes.push(...(await tx.timers.schedule([next()])));
        return undefined;
      },
    });
    await under.timers.schedule([order('a')]);
    await under.engine.runDue();
    expect(await find()).toMatchObject({ turn: 1, attempt: 1 });
    under.clock.advance(1000);
    await under.engine.runDue();
    const after = await find();
    expect(after).toMatchObject({ turn: 2, attempt: 0, claims: 0, fireAtMs: NEXT_MS, lastError: undefined });
    expect(outcomes).toEqual([{ outcome: 'applied', timer: after }]);
  });

  it('that gives a payload has it in the next turn', async () => {
    await fireOnce((tx) => tx.timers.schedule([{ ...next(), payload: { day: 2 } }]));
    expect(await find()).toMatchObject({ turn: 2, payload: { day: 2 } });
  });

  it('that asks for its timer twice hears of a duplicate, and the first stays', async () => {
    const outcomes: string[] = [];
    await fireOnce(async (tx) => {
      const answers = await tx.timers.schedule([next(), next('a', NEXT_MS + 1)]);
      const later = await tx.timers.schedule([next('a', NEXT_MS + 2)]);
      outcomes.push(...[...answers, ...later].map(({ outcome }) => outcome));
    });
    expect(outcomes).toEqual(['applied', 'duplicate', 'duplicate']);
    expect(await find()).toMatchObject({ dueAtMs: NEXT_MS, turn: 2, revision: 2 });
  });

  it('that changes its timer before it comes again is told that it has fired, by key and by id', async () => {
    const outcomes: ChangeOutcome[] = [];
    const { id: timerId } = await fireOnce(async (tx, [own]) => {
      const target = { timerId: own?.id ?? '' };
      outcomes.push(...(await tx.timers.reschedule([{ ...key('a'), dueAtMs: NEXT_MS }])));
      outcomes.push(...(await tx.timers.shift([{ ...target, byMs: 5 }])));
      outcomes.push(...(await tx.timers.cancel([target, key('a')])));
      expect(await tx.timers.cancelByOwner(['ann'])).toEqual([]);
    });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('already-fired'));
    expect(await find()).toMatchObject({ id: timerId, state: 'completed', revision: 2, turn: 1 });
  });

  it('that moves its timer after that moves the coming turn', async () => {
    const outcomes: unknown[] = [];
    const { id } = await fireOnce(async (tx) => {
      await tx.timers.schedule([next()]);
      await tx.timers.reschedule([{ ...key('a'), dueAtMs: NEXT_MS + 100 }]);
      outcomes.push(...(await tx.timers.shift([{ ...key('a'), byMs: -30 }])));
    });
    const after = await find();
    expect(after).toMatchObject({ dueAtMs: NEXT_MS + 70, fireAtMs: NEXT_MS + 70, turn: 2, revision: 2 });
    expect(outcomes).toEqual([{ outcome: 'applied', timer: after }]);
    expect(await under.index.orders.listByOwner('ann')).toMatchObject([{ timerId: id, fireAtMs: NEXT_MS + 70 }]);
  });

  it.each(['key', 'owner'])('that cancels its timer by %s after that completes it', async (way) => {
    const cancelled: Timer[] = [];
    await fireOnce(async (tx) => {
      await tx.timers.schedule([next()]);
      if (way === 'owner') cancelled.push(...(await tx.timers.cancelByOwner(['ann'])));
      else
        for (const outcome of await tx.timers.cancel([key('a')]))
          if (outcome.outcome === 'applied') cancelled.push(outcome.timer);
    });
    const after = await find();
    expect(after).toMatchObject({ state: 'completed', turn: 1, revision: 2, dueAtMs: NOW_MS });
    expect(cancelled).toEqual([after]);
    expect(await countOf(under.index)).toBe(0);
  });

  it('that completes its timer after that keeps the result, unless it returns another', async () => {
    const outcomes: unknown[] = [];
    await fireOnce(
      async (tx, [, b]) => {
        await tx.timers.schedule([next(), next('b')]);
        const results = ['a', 'b'].map((subject) => ({ ...key(subject), result: 'early' }));
        outcomes.push(...(await tx.timers.complete(results)));
        return new Map([[b?.id, 'answered']]);
      },
      [order('a'), order('b')],
    );
    const after = await find();
    expect(after).toMatchObject({ state: 'completed', turn: 1, revision: 2, result: 'early' });
    expect(outcomes[0]).toEqual({ outcome: 'applied', timer: after });
    expect(await find('b')).toMatchObject({ state: 'completed', turn: 1, result: 'answered' });
  });

  it('that changes a timer which comes by itself, and then schedules it, keeps the change unless it gives another', async () => {
    const outcomes: unknown[] = [];
    await fireOnce(
      async (tx) => {
        await tx.timers.setPayload(['a', 'b'].map((subject) => ({ ...key(subject), payload: { day: 2 } })));
        await tx.timers.pause([key('a')]);
        const asked = [next(), { ...next('b'), payload: { day: 3 } }];
        outcomes.push(...(await tx.timers.schedule(asked)));
        expect(await tx.timers.schedule(asked)).toMatchObject([{ outcome: 'duplicate' }, { outcome: 'duplicate' }]);
      },
      [hourly('a'), hourly('b')],
    );
    const [a, b] = [await find(), await find('b')];
    expect(a).toMatchObject({ turn: 2, dueAtMs: NEXT_MS, payload: { day: 2 }, isPaused: true });
    expect(b).toMatchObject({ turn: 2, dueAtMs: NEXT_MS, payload: { day: 3 }, isPaused: false });
    expect(outcomes).toEqual([a, b].map((timer) => ({ outcome: 'applied', timer })));
  });

  it('whose call is refused has changed none of its timers', async () => {
    const refused: unknown[] = [];
    await fireOnce(
      async (tx) => {
        const calls = [
          () => tx.timers.schedule([next(), { ...next('b'), owner: 'bea' }]),
          () =>
            tx.timers.shift([
              { ...key('b'), byMs: 1 },
              { ...key('b'), byMs: 2 ** 42 - 1 },
            ]),
          () => tx.timers.schedule([next(), { ...next('b'), every: { ms: MINUTE_MS, times: 1 } }]),
        ];
        for (const call of calls) refused.push(await call().catch((error: unknown) => error));
      },
      [order('a'), hourly('b')],
    );
    expect(refused).toMatchObject(refused.map(() => ({ name: 'OptionsRefused', code: 'options/invalid' })));
    expect(String(refused[0])).toContain('give the owner that it has');
    expect(String(refused[2])).toContain('keeps its recurrence and its policy');
    expect(await find()).toMatchObject({ state: 'completed', turn: 1 });
    expect(await find('b')).toMatchObject({ turn: 2, dueAtMs: NOW_MS + 3_600_000 });
  });

  it('changes by owner and kind those that come again', async () => {
    const moved: (readonly string[])[] = [];
    await fireOnce(
      async (tx) => {
        for (const [owner, kind] of [
          ['ann', 'other'],
          ['nobody', 'order'],
          ['ann', 'order'],
        ] as const) {
          const timers = await tx.timers.shiftByOwner([owner], 5, { kinds: [kind] });
          moved.push(timers.map(({ subject }) => subject));
        }
        expect(await tx.timers.shiftByKind(['order'], 5)).toBe(2);
      },
      [order('a'), hourly('b'), { ...hourly('c'), owner: 'bob' }],
    );
    expect(moved).toEqual([[], [], ['b']]);
    expect(await find()).toMatchObject({ state: 'completed' });
    const delaysMs = [await find('b'), await find('c')].map(({ dueAtMs }) => dueAtMs - NOW_MS - 3_600_000);
    expect(delaysMs).toEqual([10, 5]);
  });

  it('may ask for nothing more once it has returned', async () => {
    const late: Promise<unknown>[] = [];
    await fireOnce(
      async (tx) =>
        tx.afterCommit(() => {
          late.push(tx.timers.schedule([next()]), tx.timers.shift([{ ...key('a'), byMs: 5 }]));
        }),
      [hourly()],
    );
    const message = expect.stringContaining('the handler has returned');
    const over = { status: 'rejected', reason: { code: 'transaction/over', message } };
    expect(await Promise.allSettled(late)).toMatchObject([over, over]);
    expect(await find()).toMatchObject({ turn: 2, dueAtMs: NOW_MS + 3_600_000 });
  });

  it('that pauses its timer after that pauses the coming turn', async () => {
    const { id: timerId } = await fireOnce(async (tx) => {
      await tx.timers.schedule([next()]);
      await tx.timers.pause([key('a')]);
      await tx.timers.shiftByOwner(['ann'], 100, { kinds: ['order'] });
      expect(await tx.timers.shiftByOwner(['ann'], 100, { kinds: ['other'] })).toEqual([]);
    });
    expect(await find()).toMatchObject({ dueAtMs: NEXT_MS + 100, isPaused: true, turn: 2, revision: 2 });
    under.clock.advance(MINUTE_MS + 1000);
    await under.engine.runDue();
    expect(await find()).toMatchObject({ state: 'scheduled' });
    await under.timers.resume([{ timerId }]);
    await under.engine.runDue();
    expect(await find()).toMatchObject({ state: 'completed', turn: 2 });
  });

  it('that schedules or moves its timer lets it come again, and then moves the coming turn', async () => {
    const outcomes: string[] = [];
    await fireOnce(async (tx) => {
      const own = [
        { ...key('a'), owner: 'ann', inMs: 500 },
        { ...next(), payload: { day: 3 } },
        next('a', NEXT_MS + 5),
        { ...next(), owner: 'bea' },
      ];
      outcomes.push(...(await tx.timers.scheduleOrMove(own)).map(({ outcome }) => outcome));
    });
    expect(outcomes).toEqual(['applied', 'moved', 'moved', 'duplicate']);
    expect(await find()).toMatchObject({ dueAtMs: NEXT_MS + 5, fireAtMs: NEXT_MS + 5, payload: { day: 3 }, turn: 2 });
  });

  it('writes other timers as from outside; the index hears of all of them after the commit, in order of due times', async () => {
    under.engine.register({ kind: 'other', fire: async () => undefined });
    const other = (subject: string, delayMs: number) => ({ ...order(subject, delayMs), kind: 'other' });
    await under.timers.schedule([other('moved', 5000), other('cancelled', 5000), other('kept', 5000)]);
    const outcomes: string[] = [];
    let told = -1;
    await fireOnce(async (tx) => {
      const mixed = await tx.timers.schedule([other('new', 900), next(), other('kept', 1)]);
      const moved = await tx.timers.shift([{ kind: 'other', subject: 'moved', byMs: 1000 }]);
      const rest = await tx.timers.cancel([{ kind: 'other', subject: 'cancelled' }, key('unknown')]);
      outcomes.push(...[...mixed, ...moved, ...rest].map(({ outcome }) => outcome));
      told = await countOf(under.index);
    });
    expect(outcomes).toEqual(['applied', 'applied', 'duplicate', 'applied', 'applied', 'not-found']);
    expect(told).toBe(3);
    const times = (await under.index.orders.listByOwner('ann')).map(({ fireAtMs }) => fireAtMs - NOW_MS);
    expect(times).toEqual([900, 5000, 6000, MINUTE_MS]);
  });

  it('has a follow-up fire to the millisecond', async () => {
    const firedAtMs: number[] = [];
    under.engine.register({ kind: 'second', fire: async (_timers, _tx, nowMs) => void firedAtMs.push(nowMs) });
    await fireOnce((tx) => tx.timers.schedule([{ ...order('b', 20), kind: 'second' }]));
    under.clock.advance(19);
    await under.engine.runDue();
    expect(firedAtMs).toEqual([]);
    under.clock.advance(1);
    await under.engine.runDue();
    expect(firedAtMs).toEqual([NOW_MS + 20]);
    expect(under.events).not.toContainEqual(expect.objectContaining({ type: 'swept' }));
  });

  it('that throws leaves nothing of what it wrote or noted, in no half, and one attempt more', async () => {
    const seen: number[] = [];
    const given = new Set<unknown>();
    let hooks = 0;
    under.engine.register({ kind: 'none', fire: async () => undefined });
    under.engine.register({
      kind: 'order',
      fire: async (timers, tx) => {
        seen.push(timers.length);
        given.add(tx).add(tx.timers);
        tx.afterCommit(() => {
          hooks += 1;
        });
        await tx.timers.schedule(timers.map(({ subject }) => next(subject)));
        await tx.timers.schedule([{ ...next(`follows ${timers.length}`), kind: 'none' }]);
        if (timers.some(({ subject }) => subject === 'poison')) throw new Error('poison');
        return undefined;
      },
    });
    await under.timers.schedule([order('a'), order('b'), order('c'), order('poison')]);
    await under.engine.runDue();
    expect(seen).toEqual([4, 2, 2, 1, 1]);
    expect(given.size).toBe(10);
    expect(hooks).toBe(2);
    expect(await find('poison')).toMatchObject({ state: 'scheduled', turn: 1, attempt: 1, dueAtMs: NOW_MS });
    for (const subject of ['a', 'b', 'c']) expect(await find(subject)).toMatchObject({ turn: 2, dueAtMs: NEXT_MS });
    const followers = (await under.timers.listByOwner('ann')).filter(({ kind }) => kind === 'none');
    // Of the try with four and of the one with the poison alone there is none.
    expect(followers.map(({ subject }) => subject).sort()).toEqual(['follows 1', 'follows 2']);
    expect(await countOf(under.index)).toBe(6);
  });

  it('whose timer is due again at once fires in another transaction', async () => {
    const rounds: HandlerTx[] = [];
    under.engine.register({
      kind: 'order',
      fire: async (timers, tx) => {
        rounds.push(tx);
        expect(timers[0]?.turn).toBe(rounds.length);
        if (rounds.length < 4) await tx.timers.schedule([next('a', NOW_MS - 1)]);
        return undefined;
      },
    });
    await under.timers.schedule([order('a')]);
    await under.engine.runDue();
    expect(new Set(rounds).size).toBe(4);
    expect(await find()).toMatchObject({ state: 'completed', turn: 4 });
  });

  it('repeats nothing when the answer to its commit is lost', async () => {
    let isLost = true;
    const turns: number[] = [];
    const sabotage = (store: TimerStore): TimerStore =>
      sabotaged(store, {
        isWorldFault: () => true,
        fire: async (seen, work) => {
          const locked = await store.fire(seen, work);
          if (!isLost) return locked;
          isLost = false;
          throw new Error('the connection is gone');
        },
      });
    const { engine, clock, dispose } = await make(sabotage);
    onTestFinished(dispose);
    engine.register({
      kind: 'order',
      fire: async ([timer], tx) => {
        turns.push(timer?.turn ?? 0);
        if (timer?.turn === 1) await tx.timers.schedule([next('a', timer.dueAtMs + 5000)]);
        return undefined;
      },
    });
    await engine.runDue();
    await engine.timers.schedule([order('a')]);
    await engine.runDue();
    expect(turns).toEqual([1]);
    clock.advance(1000);
    await engine.runDue();
    expect(turns).toEqual([1]);
    // The try again put it where it belongs: no sweep is needed.
    clock.advance(4000);
    await engine.runDue();
    expect(turns).toEqual([1, 2]);
  });

  it('keeps the owner of a timer that comes again', async () => {
    await fireOnce((tx) => tx.timers.schedule([{ ...next(), owner: 'bea' }]));
    expect(await find()).toMatchObject({ attempt: 1, lastError: expect.stringContaining('keeps its owner') });
  });

  it('may write through `timers.within(tx)` as well, and owes nothing after the commit', async () => {
    await fireOnce(async (tx) => {
      const timers = under.timers.within(tx);
      await timers.schedule([next()]);
      await timers.afterCommit();
      expect(await countOf(under.index)).toBe(0);
    });
    expect(await find()).toMatchObject({ turn: 2 });
    expect(await countOf(under.index)).toBe(1);
  });

  it('of a `call` kind is told of a duplicate; its timer comes again by what it returns', async () => {
    const outcomes: string[] = [];
    const keys: string[] = [];
    under.engine.register({
      kind: 'order',
      call: async ({ id, turn, dueAtMs, payload }) => {
        keys.push(`${id}:${turn}`);
        const [again_] = await under.timers.schedule([next()]);
        outcomes.push(again_?.outcome ?? '');
        if (turn === 1) return again(dueAtMs + MINUTE_MS);
        return turn === 2 ? again(dueAtMs + MINUTE_MS, { was: payload }) : 'sent';
      },
    });
    await under.timers.schedule([order('a')]);
    const { id } = await find();
    for (const turn of [2, 3]) {
      await under.engine.runDue();
      expect(await find()).toMatchObject({ id, state: 'scheduled', turn, attempt: 0, result: undefined });
      expect(await countOf(under.index)).toBe(1);
      under.clock.advance(MINUTE_MS);
    }
    await under.engine.runDue();
    expect(await find()).toMatchObject({ state: 'completed', turn: 3, result: 'sent', payload: { was: { day: 1 } } });
    expect(outcomes).toEqual(Array(3).fill('duplicate'));
    expect(keys).toEqual([`${id}:1`, `${id}:2`, `${id}:3`]);
  });

  it('of a `call` kind that returns no instant has failed', async () => {
    under.engine.register({ kind: 'order', call: async () => again(0.5) });
    await under.timers.schedule([order('a')]);
    await under.engine.runDue();
    expect(await find()).toMatchObject({ state: 'scheduled', turn: 1, attempt: 1 });
  });
});

it('drifts by 0 ms in 1,000 rounds, however late each is noticed', async () => {
  const { engine, timers, clock } = await makeMemoryEngine();
  const dueAtMs: number[] = [];
  engine.register({
    kind: 'order',
    fire: async ([timer], tx) => {
      if (timer === undefined) return undefined;
      dueAtMs.push(timer.dueAtMs);
      if (timer.turn < 1000) await tx.timers.schedule([next('a', timer.dueAtMs + MINUTE_MS)]);
      return undefined;
    },
  });
  await engine.runDue();
  await timers.schedule([order('a')]);
  for (let looks = 0; dueAtMs.length < 1000; looks += 1) {
    await engine.runDue();
    // Some looks come early, most come late, and some so late that several rounds are due.
    clock.advance((looks * 7919) % 130_000);
  }
  expect(dueAtMs).toEqual(Array.from({ length: 1000 }, (_, round) => NOW_MS + round * MINUTE_MS));
  expect(await timers.find([key('a')])).toMatchObject([{ state: 'completed', turn: 1000 }]);
});
