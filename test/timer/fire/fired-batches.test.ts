import { describe, expect, it } from 'vitest';
import { NotRetryable } from '../../../server/timer/fire/not-retryable.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { HandlerStuck, Locked } from '../../../server/timer/model/timer-errors.ts';
import type { FiredTimer, HandlerTx } from '../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { laneScene, quiet, spread } from '../../support/engine/lane-scene.ts';
import { recordedLog, silentLog } from '../../support/log/logs.ts';

type Handle = (timers: readonly FiredTimer[], tx: HandlerTx) => Promise<void>;

/** Three timers of a kind with a handler that the test controls; `fire` makes them due. */
const makeScene = async (
  handle: Handle = async () => undefined,
  faultyStore: Partial<TimerStore> = {},
  { retryDelaysMs = [1000], ...options }: { retryDelaysMs?: readonly number[]; batchLimit?: number } = {},
) => {
  const handled: (readonly FiredTimer[])[] = [];
  const { log, lines } = recordedLog();
  const scene = await laneScene({
    log,
    ...options,
    kinds: [
      {
        kind: 'order',
        retryDelaysMs,
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
    const sizes: number[] = [];
    let isSlow = true;
    const fire: TimerStore['fire'] = async ({ length }) => {
      sizes.push(length);
      if (isSlow) scene.clock.advance(100);
      throw new Error('no');
    };
    const scene = await makeScene(undefined, { fire }, { retryDelaysMs: [60_000] });
    const { events, timers, advance } = scene;
    await timers.schedule(spread('order', 500, { fromMs: scene.nowMs }));
    await quiet();
    isSlow = false;
    expect(sizes).toHaveLength(20);
    const count = (type: string) =>
      events.reduce((sum, event) => sum + (event.type !== type ? 0 : 'count' in event ? event.count : 1), 0);
    expect(count('requeued')).toBeGreaterThan(480);
    expect(count('requeued') + count('failed')).toBe(500);
    await advance(500);
    expect(new Set(sizes.slice(20))).toEqual(new Set([1]));
  });

  it('is not halved further once its kind is paused', async () => {
    let tries = 0;
    const { fire, timers, events } = await makeScene(undefined, {
      fire: async () => {
        tries += 1;
        await timers.pauseKind('order');
        throw new Error('no');
      },
    });
    await fire();
    expect(tries).toBe(1);
    expect(events).toEqual([2, 1].map((count) => ({ type: 'requeued', reason: 'paused', count })));
  });

  it('by locks is remembered until each timer has gone alone', async () => {
    const sizes: number[] = [];
    const scene = await makeScene(undefined, {
      fire: async ({ length }) => {
        if (sizes.push(length) === 1) throw new Locked('taken');
        // It fires none, so that all come again.
        return { timers: [], nowMs: scene.clock.nowMs() };
      },
    });
    await scene.fire();
    for (let turn = 0; turn < 2; turn += 1) await scene.advance(25);
    expect(sizes).toEqual([3, 1, 1, 1, 3]);
  });

  it('by locks is remembered for the newest ten thousand timers', async () => {
    const sizes: number[] = [];
    const scene = await makeScene(
      undefined,
      {
        fire: async ({ length }) => {
          if (sizes.push(length) <= 2) throw new Locked('taken');
          return sizes.length === 3 ? { timers: [], nowMs: 0 } : new Promise(() => undefined);
        },
      },
      { batchLimit: 9999 },
    );
    await scene.timers.schedule(spread('order', 10_003, { fromMs: scene.nowMs }));
    await quiet();
    expect(sizes).toEqual([9999, 4]);
    await scene.advance(25);
    expect(sizes.slice(2)).toEqual([1, 3]);
  });
});

describe('an attempt that fails', () => {
  it('comes again after the wait of its number, and is the last where the table ends: its times stay', async () => {
    const noStock = () => Promise.reject(new Error('no stock'));
    const { fire, found, advance, nowMs } = await makeScene(noStock, {}, { retryDelaysMs: [1000, 3000] });
    await fire(1);
    const lastError = 'Error: no stock';
    for (const [attempt, fireAtMs] of [
      [1, nowMs + 1025],
      [2, nowMs + 4025],
    ] as const) {
      expect(await found()).toMatchObject([{ state: 'scheduled', attempt, fireAtMs, lastError }]);
      await advance(1000 * (2 * attempt - 1));
    }
    expect(await found()).toMatchObject([{ state: 'dead', attempt: 3, fireAtMs: nowMs + 4025, lastError }]);
  });

  it('is the last where trying again is of no use: its times stay', async () => {
    const cause = new Error('no stock');
    const { fire, found, events, nowMs } = await makeScene(() => Promise.reject(new NotRetryable('closed', cause)));
    await fire(1);
    const lastError = 'NotRetryable: closed (timer/not-retryable); by Error: no stock';
    expect(await found()).toMatchObject([{ state: 'dead', attempt: 1, fireAtMs: nowMs + 25, lastError }]);
    const thrown = { code: 'timer/not-retryable', retryable: false, cause };
    expect(events).toMatchObject([{ type: 'dead', error: { thrown } }]);
  });

  it.each([
    ['a NUL', 'text\0 with\0 NUL', 'text with NUL'],
    ['nothing', undefined, 'undefined'],
    ['a long text', 'x'.repeat(5000), 'x'.repeat(2000)],
  ])('has its error as a text that a column takes, also %s', async (_what, thrown, lastError) => {
    const { fire, found } = await makeScene(() => Promise.reject(thrown));
    await fire(1);
    expect(await found()).toMatchObject([{ attempt: 1, lastError }]);
  });

  it.each([
    [32_765, 32_766],
    [32_767, 32_767],
  ])('is counted no further than its column holds: %s is followed by %s', async (attempt, counted) => {
    const scene = await makeScene(() => Promise.reject(new Error('no')), {
      read: async (refs) => {
        const { timers, nowMs } = await scene.rows.read(refs);
        return { timers: timers.map((timer) => ({ ...timer, attempt })), nowMs };
      },
    });
    await scene.fire(1);
    expect(await scene.found()).toMatchObject([{ state: 'dead', attempt: counted }]);
  });
});

it('a fault of the world that lasts has a line a second for each kind, with the number of those left out', async () => {
  const logged: unknown[] = [];
  const warn = (fields: object): unknown => logged.push(fields);
  const fire = async () => undefined;
  const { timers, nowMs, advance } = await laneScene({
    log: { ...silentLog, warn },
    kinds: ['order', 'mail'].map((kind) => ({ kind, fire })),
    faultyStore: () => ({ isWorldFault: () => true, fire: () => Promise.reject(new Error('away')) }),
  });
  await timers.schedule(['order', 'mail'].flatMap((kind) => spread(kind, 1, { fromMs: nowMs })));
  await advance(1050);
  const lines = (leftOut: number) => ['order', 'mail'].map((kind) => ({ kind, leftOut, count: 1 }));
  expect(logged).toMatchObject([...lines(0), ...lines(1)]);
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
