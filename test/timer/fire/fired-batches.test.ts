import { describe, expect, it } from 'vitest';
import { FireRunner } from '../../../server/timer/fire/fire-runner.ts';
import type { FiringTools } from '../../../server/timer/fire/firing-tools.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { HandlerStuck, Locked } from '../../../server/timer/model/timer-errors.ts';
import type { FiredTimer, HandlerTx } from '../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { firingScene } from '../../support/engine/firing-scene.ts';
import { laneScene, spread } from '../../support/engine/lane-scene.ts';
import { recordedLog } from '../../support/log/logs.ts';

type Handle = (timers: readonly FiredTimer[], tx: HandlerTx) => Promise<void>;

const runnerOf = (tools: FiringTools) =>
  new FireRunner({ tools, kind: { kind: 'order', fire: async () => undefined }, abortStale: () => undefined });

/** Three timers of a kind with a handler that the test controls; `fire` makes them due. */
const makeScene = async (handle: Handle = async () => undefined, faultyStore: Partial<TimerStore> = {}) => {
  const handled: (readonly FiredTimer[])[] = [];
  const { log, lines } = recordedLog();
  const scene = await laneScene({
    log,
    kinds: [
      {
        kind: 'order',
        retryDelaysMs: [1000],
        fire: async (timers, tx): Promise<undefined> => {
          handled.push(timers);
          await handle(timers, tx);
        },
      },
    ],
    faultyStore: () => faultyStore,
  });
  const { timers, nowMs, events, advance } = scene;
  events.length = 0;
  const schedule = (count = 3) => timers.schedule(spread('order', count, { fromMs: nowMs + 25 }));
  const fire = async (count?: number): Promise<void> => {
    await schedule(count);
    await advance(25);
  };
  const subjectsOf = () => handled.map((some) => some.map(({ subject }) => subject.slice(-1)).join(''));
  const rows = async () => (await timers.find(spread('order', 3, { fromMs: 0 }))).flatMap((row) => row ?? []);
  return { ...scene, fire, handled, subjectsOf, lines, found: rows };
};

describe('a batch that fires', () => {
  it('has its timers and their lateness, in due order, then by id; it is told as fired at the time of its commit', async () => {
    const { timers, nowMs, advance, handled, events } = await makeScene();
    const order = (subject: string, delayMs: number) => ({
      kind: 'order',
      subject,
      owner: 'ann',
      dueAtMs: nowMs + delayMs,
    });
    await timers.schedule([order('y', 20), order('x', 10), order('z', 20)]);
    await advance(25);
    expect(handled.map((some) => some.map(({ subject }) => subject))).toEqual([['x', 'y', 'z']]);
    expect(handled[0]?.[0]).toMatchObject({ isMisfire: false, lateMs: 0, missed: 0, turn: 1 });
    const fired = events.flatMap((event) => (event.type === 'fired' ? event : []));
    expect(fired).toMatchObject([{ kind: 'order', nowMs: nowMs + 25 }]);
    expect(fired[0]?.timers.map(({ subject }) => subject).toSorted()).toEqual(['x', 'y', 'z']);
  });

  it('leaves out a timer that is not due under the lock, and one that another transaction has', async () => {
    let nowMs = 0;
    const changed = ([first, second]: readonly Timer[]): readonly Timer[] =>
      [first, second && { ...second, fireAtMs: nowMs + 7 }].flatMap((one) => one ?? []);
    const { fire, subjectsOf, events, index, clock } = await makeScene(undefined, {
      fire: async (seen, work) => {
        nowMs = clock.nowMs();
        const locked = { timers: seen.length === 3 ? changed(seen) : [], nowMs };
        await work({} as never, locked);
        return locked;
      },
    });
    await fire();
    expect(subjectsOf()).toEqual(['0']);
    expect(events).toMatchObject([
      { type: 'fired', timers: [{ subject: 'order-0' }] },
      { type: 'requeued', reason: 'locked', count: 1 },
    ]);
    const times = (await index.orders.between(0, 2 ** 42, 10)).map(({ fireAtMs }) => fireAtMs - nowMs);
    expect(times).toEqual([7, 10]);
  });

  it('calls no handler when no timer is due under the lock', async () => {
    const { fire, handled, events } = await makeScene(undefined, {
      fire: async (seen, work) => {
        const locked = { timers: seen.map((timer) => ({ ...timer, fireAtMs: timer.fireAtMs + 60_000 })), nowMs: 0 };
        expect(await work({} as never, locked)).toEqual([]);
        return locked;
      },
    });
    await fire();
    expect([handled, events]).toEqual([[], []]);
  });
});

describe('a batch that fails', () => {
  it('is halved until the poison timer is alone: that has failed, with the handler named, and the others have fired', async () => {
    const { fire, subjectsOf, events, found, index, nowMs } = await makeScene(async (timers) => {
      if (timers.some(({ subject }) => subject === 'order-2')) throw new Error('poison');
    });
    await fire();
    expect(subjectsOf()).toEqual(['012', '01', '2']);
    expect((await found()).map(({ state, attempt }) => [state, attempt])).toEqual([
      ['completed', 0],
      ['completed', 0],
      ['scheduled', 1],
    ]);
    expect(events).toMatchObject([
      { type: 'fired', timers: [{ subject: 'order-0' }, { subject: 'order-1' }] },
      { type: 'failed', timer: { subject: 'order-2' }, error: { whose: 'handler of kind "order"' } },
    ]);
    expect(await index.orders.between(0, 2 ** 42, 10)).toMatchObject([{ fireAtMs: nowMs + 1025, revision: 2 }]);
  });

  it.each([
    ['the world failed', true],
    ['the store refuses it', false],
  ])(
    'is not counted when the attempt cannot be saved, since %s: it comes again in half a second',
    async (_what, isWorldFault) => {
      const { fire, events, found, index, lines, clock } = await makeScene(
        () => Promise.reject(new Error('no stock')),
        {
          save: () => Promise.reject(new Error('out of range')),
          isWorldFault: (error) => isWorldFault && String(error).includes('range'),
        },
      );
      await fire(1);
      expect(events).toMatchObject([{ type: 'failed' }, { type: 'requeued', reason: 'world-fault', count: 1 }]);
      expect(await found()).toMatchObject([{ state: 'scheduled', attempt: 0, revision: 1 }]);
      expect(await index.orders.between(0, 2 ** 42, 10)).toMatchObject([{ fireAtMs: clock.nowMs() + 500 }]);
      expect(lines).toMatchObject([
        { level: 'warn', message: 'a timer failed, and is tried again' },
        { level: 'warn', message: 'firing failed; again soon' },
      ]);
    },
  );

  it('since its handler does not return in five seconds comes again, each timer alone', async () => {
    const hang = async (timers: readonly unknown[]): Promise<void> => {
      if (timers.length > 1) await new Promise(() => undefined);
    };
    const { fire, subjectsOf, events, advance } = await makeScene(hang, {
      isWorldFault: (error) => error instanceof HandlerStuck,
    });
    await fire();
    await advance(4975);
    expect(events).toEqual([]);
    await advance(25);
    expect(events).toEqual([{ type: 'requeued', reason: 'world-fault', count: 3 }]);
    await advance(500);
    expect(subjectsOf()).toEqual(['012', '0', '1', '2']);
  });

  it('since its handler does not return has failed when the locks of its connection are gone', async () => {
    const locked = new Error('its connection still has the row');
    const saves: unknown[] = [];
    const { fire, events, advance } = await makeScene(() => new Promise(() => undefined), {
      save: async ([update]) => {
        saves.push(update);
        if (saves.length < 3) throw locked;
        return [];
      },
      isContention: (error) => error === locked,
    });
    await fire(1);
    await advance(5000);
    await advance(500);
    await advance(500);
    expect(saves).toHaveLength(3);
    expect(saves[2]).toMatchObject({ state: 'scheduled', attempt: 1, lastError: expect.stringContaining('handler') });
    expect(events).toMatchObject([{ type: 'failed' }]);
  });

  it('by locks is retried by no policy for misfires, however long they last', async () => {
    let isLocked = true;
    const { timers, nowMs, advance, found, lines } = await makeScene(async () => {
      if (isLocked) throw new Locked('the hero is busy');
    });
    const misfire = { afterMs: 1000, late: 'skip' } as const;
    await timers.schedule(spread('order', 1, { fromMs: nowMs + 25 }).map((order) => ({ ...order, misfire })));
    await advance(25);
    for (let turn = 0; turn < 300; turn += 1) await advance(10);
    expect(await found()).toMatchObject([{ state: 'scheduled', attempt: 0 }]);
    expect(lines[0]).toMatchObject({ level: 'warn', message: 'firing failed; again soon' });
    isLocked = false;
    await advance(100);
    expect(await found()).toMatchObject([{ state: 'completed', result: undefined }]);
  });

  it('is requeued whole, each timer alone, when it fails slowly', async () => {
    const scene = await makeScene(async (timers) => {
      if (timers.length === 1) return;
      await new Promise<void>((resolve) => scene.clock.after(2000, resolve));
      throw new Error('slow');
    });
    await scene.fire();
    await scene.advance(2000);
    expect(scene.events).toEqual([{ type: 'requeued', reason: 'world-fault', count: 3 }]);
    await scene.advance(500);
    expect(scene.subjectsOf()).toEqual(['012', '0', '1', '2']);
  });

  it('is halved for two seconds only; then each timer that is left has to go alone', async () => {
    let tries = 0;
    const fire = async () => {
      tries += 1;
      clock.advance(100);
      throw new Error('no');
    };
    const { tools, clock, timer, events } = await firingScene({ faultyStore: { fire } });
    const runner = runnerOf(tools);
    const many = Array.from({ length: 500 }, (_, at) => ({ ...timer, id: `${at}` }));
    const { entries } = await runner.run(many);
    expect(tries).toBe(20);
    const left = many.filter(({ id }) => runner.isSuspect(id));
    expect(left.length).toBeGreaterThan(480);
    const requeued = events.map((event) => (event.type === 'requeued' ? event.count : 0));
    expect(requeued.reduce((sum, count) => sum + count, 0)).toBe(left.length);
    expect(entries.filter(({ revision }) => revision === timer.revision)).toHaveLength(left.length);
  });

  it('is not halved further once its kind is paused', async () => {
    let tries = 0;
    const fire = async () => {
      tries += 1;
      tools.kinds.setPaused(new Set(['order']));
      throw new Error('no');
    };
    const { tools, timer, events } = await firingScene({ faultyStore: { fire } });
    const runner = runnerOf(tools);
    await runner.run(Array.from({ length: 4 }, (_, at) => ({ ...timer, id: `${at}` })));
    expect(tries).toBe(1);
    expect(events.filter(({ type }) => type === 'requeued')).toEqual([
      { type: 'requeued', reason: 'paused', count: 2 },
      { type: 'requeued', reason: 'paused', count: 2 },
    ]);
  });

  it('is remembered for the newest ten thousand timers that have to go alone, until each has gone', async () => {
    let isLocked = true;
    const fire = async () => {
      if (isLocked) throw new Locked('taken');
      return { timers: [], nowMs: 0 };
    };
    const { tools, timer } = await firingScene({ faultyStore: { fire } });
    const runner = runnerOf(tools);
    const many = (count: number, from: number) =>
      Array.from({ length: count }, (_, at) => ({ ...timer, id: `${from + at}` }));
    await runner.run(many(9999, 0));
    await runner.run(many(1, 20_000));
    expect(runner.isSuspect('20000')).toBe(true);
    await runner.run(many(1, 30_000));
    expect(['30000', '0', '1'].map((id) => runner.isSuspect(id))).toEqual([true, false, true]);
    isLocked = false;
    await runner.run(many(1, 20_000));
    expect(runner.isSuspect('20000')).toBe(false);
  });
});

describe('what a handler leaves for after its commit', () => {
  it('runs in its order; what throws is logged and delays nothing, and a failed try leaves none', async () => {
    const ran: string[] = [];
    const { fire, lines } = await makeScene(async (timers, { afterCommit }) => {
      afterCommit(() => {
        if (timers.length === 1) throw new Error('a hook');
      });
      afterCommit(() => ran.push(timers.map(({ subject }) => subject.slice(-1)).join('')));
      if (timers.length > 1) throw new Error('together they fail');
    });
    await fire();
    expect(ran).toEqual(['0', '1', '2']);
    const line = { level: 'error', message: 'a handler failed after its commit' };
    expect(lines).toMatchObject([line, line, line]);
  });

  it('has timers of others written once for a key, dated by the time under the lock, and in the index', async () => {
    const outcomes: unknown[] = [];
    const { fire, timers, index, nowMs } = await makeScene(async ([timer], tx) => {
      if (timer?.subject !== 'order-0') return;
      const other = { kind: 'order', subject: 'other', owner: 'bob', every: { ms: 5000 }, inMs: 70 };
      for (const _ of [1, 2]) outcomes.push(...(await tx.timers.schedule([other], { idempotencyKey: 'a key' })));
    });
    await fire(1);
    const [other] = await timers.find([{ kind: 'order', subject: 'other' }]);
    expect(other?.dueAtMs).toBe(nowMs + 25 + 70);
    const outcome = { outcome: 'applied', timer: { id: other?.id } };
    expect(outcomes).toMatchObject([outcome, outcome]);
    expect(await index.orders.listByOwner('bob')).toMatchObject([{ timerId: other?.id, fireAtMs: nowMs + 95 }]);
  });
});
