import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { CallAborted } from '../../../server/timer/fire/running-call.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { coalescedSaves } from '../../../server/timer/write/coalesced-writes.ts';
import { calledByHand, laneScene, quiet, spread } from '../../support/engine/lane-scene.ts';
import type { IndexFaults } from '../../support/engine/sabotaged.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';
import { recordedLog } from '../../support/log/logs.ts';

const CLAIM_MS = 3000 + 5000;

interface Faults {
  readonly faultyStore?: (store: TimerStore) => Partial<TimerStore>;
  readonly faultyIndex?: (index: DueIndex) => IndexFaults;
  readonly count?: number;
}

/** Three calls at once with manual replies; so many timers are due. */
const makeScene = async ({ count = 1, ...faults }: Faults = {}) => {
  const order = calledByHand('order', { timeoutMs: 3000, atOnce: 3, retryDelaysMs: [1000] });
  const { log, lines } = recordedLog();
  const scene = await laneScene({ kinds: [order], log, ...faults });
  const { timers, nowMs, events } = scene;
  events.length = 0;
  await timers.schedule(spread('order', count, { fromMs: nowMs }));
  await quiet();
  const row = async (at = 0): Promise<Timer> => {
    const [timer] = await timers.find([{ kind: 'order', subject: `order-${at}` }]);
    if (timer === undefined) throw new Error('no timer');
    return timer;
  };
  const typesOf = () => events.map(({ type }) => type);
  return { ...scene, calls: order.calls, lines, row, typesOf };
};

describe('a claim', () => {
  it('is made alone: slots that become free meanwhile are claimed together', async () => {
    const claims: PromiseWithResolvers<void>[] = [];
    const sizes: number[] = [];
    const { timers, nowMs, engine } = await makeScene({
      faultyStore: (store) => ({
        defer: async (deferrals) => {
          sizes.push(deferrals.length);
          const claim = Promise.withResolvers<void>();
          claims.push(claim);
          await claim.promise;
          return store.defer(deferrals);
        },
      }),
    });
    await timers.schedule(spread('order', 4, { fromMs: nowMs }));
    await quiet();
    expect(engine.lanes).toEqual([{ kind: 'order', running: 1, waiting: 3 }]);
    claims[0]?.resolve();
    await quiet();
    expect(sizes).toEqual([1, 2]);
    expect(engine.lanes).toEqual([{ kind: 'order', running: 3, waiting: 1 }]);
  });

  it('is in the index before its delivery is acked', async () => {
    const written = Promise.withResolvers<void>();
    const { calls, index, row, advance } = await makeScene({
      faultyIndex: ({ orders }) => ({
        orders: {
          put: async (entries) => {
            if (entries[0]?.revision === 2) await written.promise;
            return orders.put(entries);
          },
        },
      }),
    });
    await advance(100);
    expect(await index.queue.oldestUnackedMs()).toEqual([100]);
    written.resolve();
    await quiet();
    expect(await index.queue.oldestUnackedMs()).toEqual([0]);
    const { id, fireAtMs } = await row();
    expect(await index.orders.between(0, 2 ** 42, 10)).toMatchObject([{ timerId: id, fireAtMs, revision: 2 }]);
    expect(calls).toHaveLength(1);
  });

  it('that comes too late, since the row was moved, makes no call; the timer comes again soon', async () => {
    const dueAtMs = 1_790_000_060_000;
    const { calls, index, events, row, nowMs } = await makeScene({
      count: 2,
      faultyStore: (store) => ({
        defer: async (deferrals) => {
          const [first] = deferrals;
          const target = { timerId: first?.timerId ?? '' };
          if (first?.revision === 1) await store.change([{ target, change: 'reschedule', dueAtMs }]);
          return store.defer(deferrals);
        },
      }),
    });
    expect(calls.map(({ timer }) => timer.subject)).toEqual(['order-1']);
    expect(events).toContainEqual({ type: 'requeued', reason: 'locked', count: 1 });
    expect(await row()).toMatchObject({ dueAtMs, claims: 0 });
    const times = (await index.orders.between(0, 2 ** 42, 10)).map(({ fireAtMs }) => fireAtMs - nowMs);
    expect(times).toEqual([10, CLAIM_MS]);
  });

  it('that the store cannot make is tried again in half a second, uncounted', async () => {
    let faults = 1;
    const { calls, events, row, advance } = await makeScene({
      faultyStore: (store) => ({
        defer: (deferrals) => {
          faults -= 1;
          return faults === 0 ? Promise.reject(new Error('connection lost')) : store.defer(deferrals);
        },
      }),
    });
    expect(events).toEqual([{ type: 'requeued', reason: 'world-fault', count: 1 }]);
    await advance(475);
    expect([calls.length, (await row()).attempt]).toEqual([0, 0]);
    await advance(25);
    expect(calls).toHaveLength(1);
  });
});

describe('the outcome of a call', () => {
  it('is told as failed, and as dead when no attempt is left', async () => {
    const { calls, events, row, advance, index } = await makeScene();
    const [first, second] = [new Error('no answer'), new Error('none again')];
    calls[0]?.fail(first);
    await quiet();
    await advance(1000);
    calls[1]?.fail(second);
    await quiet();
    expect(events).toMatchObject([
      { type: 'failed', timer: { attempt: 0 }, error: { thrown: first, whose: 'handler of kind "order"' } },
      { type: 'dead', timer: { attempt: 1 }, error: { thrown: second } },
    ]);
    expect(await row()).toMatchObject({ state: 'dead', attempt: 2 });
    expect(await index.orders.between(0, 2 ** 42, 10)).toEqual([]);
  });

  it('is dropped when the row was moved unheard', async () => {
    const { calls, rows, row, typesOf, nowMs } = await makeScene();
    const target = { timerId: (await row()).id };
    await rows.change([{ target, change: 'reschedule', dueAtMs: nowMs + 60_000 }]);
    calls[0]?.reply('paid');
    await quiet();
    expect(calls[0]?.signal.reason).toMatchObject({ why: 'moved' });
    expect(await row()).toMatchObject({ state: 'scheduled', dueAtMs: nowMs + 60_000 });
    expect(typesOf()).toEqual([]);
  });

  it('is a failed attempt when the recurrence cannot be read here', async () => {
    const unreadable = (timer: Timer): Timer => ({ ...timer, recurrence: {} as never });
    const { calls, row, typesOf } = await makeScene({
      faultyStore: (store) => ({
        read: async (refs) => {
          const { timers, nowMs } = await store.read(refs);
          return { timers: timers.map(unreadable), nowMs };
        },
      }),
    });
    calls[0]?.reply('paid');
    await quiet();
    expect(await row()).toMatchObject({ state: 'scheduled', attempt: 1 });
    expect(typesOf()).toEqual(['failed']);
  });

  it('is saved again each half second when the world fails, as long as its claim lasts; then the call is made again', async () => {
    const savedAtMs: number[] = [];
    const scene = await makeScene({
      faultyStore: () => ({
        isWorldFault: () => true,
        save: () => {
          savedAtMs.push(scene.clock.nowMs() - scene.nowMs);
          return Promise.reject(new Error('no Postgres'));
        },
      }),
    });
    const { calls, lines, typesOf, advance, engine } = scene;
    calls[0]?.reply('paid');
    await quiet();
    await advance(4975);
    expect(engine.lanes).toEqual([{ kind: 'order', running: 1, waiting: 0 }]);
    await advance(25);
    expect(savedAtMs).toEqual(Array.from({ length: 11 }, (_, at) => at * 500));
    expect(lines).toMatchObject([{ level: 'error', message: 'the outcome of a call was not saved' }]);
    expect(engine.lanes).toEqual([{ kind: 'order', running: 0, waiting: 0 }]);
    await advance(CLAIM_MS - 5000);
    expect(new Set(calls.map(({ timer }) => timer.idempotencyKey)).size).toBe(1);
    expect([calls.length, typesOf()]).toEqual([2, []]);
  });

  it('is saved without its result, and why, when the store refuses it', async () => {
    const { calls, row, typesOf, lines } = await makeScene({
      faultyStore: (store) => ({
        save: (updates) => (updates[0]?.result === 'paid' ? Promise.reject(new Error('a bug')) : store.save(updates)),
      }),
    });
    calls[0]?.reply('paid');
    await quiet();
    expect(await row()).toMatchObject({ state: 'completed', result: { notKept: 'Error: a bug' } });
    expect(typesOf()).toEqual(['fired']);
    expect(lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('is saved together with those that end at the same time: many time-outs need one connection', async () => {
    const sizes: number[] = [];
    const { typesOf, advance } = await makeScene({
      count: 3,
      faultyStore: (store) => ({
        save: (updates) => {
          sizes.push(updates.length);
          return store.save(updates);
        },
      }),
    });
    await advance(3000);
    expect([sizes, typesOf()]).toEqual([[3], ['failed', 'failed', 'failed']]);
  });

  it.each([
    ['refuses', false],
    ['cannot save, since its row is locked,', true],
  ])('that the store %s does not hold up those beside it', async (_why, isWorldFault) => {
    let isOver = false;
    const { calls, row, advance } = await makeScene({
      count: 3,
      faultyStore: (store) => ({
        isWorldFault: () => isWorldFault,
        isContention: () => isWorldFault,
        save: (updates) =>
          !isOver && updates.some(({ result }) => result === 'bad')
            ? Promise.reject(new Error('no'))
            : store.save(updates),
      }),
    });
    for (const [at, result] of ['good', 'bad', 'better'].entries()) calls[at]?.reply(result);
    await quiet();
    expect([await row(0), await row(2)]).toMatchObject([{ result: 'good' }, { result: 'better' }]);
    isOver = true;
    await advance(500);
    expect(await row(1)).toMatchObject({ state: 'completed', result: isWorldFault ? 'bad' : { notKept: 'Error: no' } });
  });
});

it('of two outcomes of one timer, saved together, only the one at its revision counts', async () => {
  const store = new FakeTimerStore(() => 0);
  await store.schedule(spread('order', 1, { fromMs: 0 }));
  const [timer] = await store.find([{ kind: 'order', subject: 'order-0' }]);
  const save = coalescedSaves({ store, after: new ManualClock(0).after });
  const update = { timerId: timer?.id ?? '', state: 'completed', fireAtMs: 0, attempt: 0 } as const;
  const saved = await Promise.all([save({ ...update, revision: 7 }), save({ ...update, revision: 1 })]);
  expect(saved).toMatchObject([[], [{ id: timer?.id, state: 'completed', revision: 2 }]]);
});

it('a running call is aborted by a change of its own timer alone', async () => {
  const { calls, timers } = await makeScene({ count: 2 });
  await timers.shift([{ kind: 'order', subject: 'order-1', byMs: 60_000 }]);
  await timers.shift([{ kind: 'order', subject: 'none', byMs: 60_000 }]);
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, true]);
});

it.each([
  ['moved', 'the timer was moved or cancelled during its call'],
  ['stopping', 'the process is stopping'],
] as const)('a call that is aborted since it is %s reads why', (why, message) => {
  expect(new CallAborted(why)).toMatchObject({ why, message, name: 'CallAborted' });
});
