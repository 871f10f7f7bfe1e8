import { describe, expect, it } from 'vitest';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { thingKind } from '../../support/engine/kinds.ts';
import { calledByHand, laneScene, quiet, spread, workedByHand } from '../../support/engine/lane-scene.ts';

const never = () => new Promise<never>(() => undefined);
/** Five hundred calls at once that last for long. */
const hanging = { kind: 'feast', call: never, atOnce: 500, timeoutMs: 60_000 };

/** A store that records by how much rows are deferred, statement by statement. */
const recordedDeferrals = () => {
  const statements: (readonly number[])[] = [];
  const faultyStore = (store: TimerStore): Partial<TimerStore> => ({
    defer: (deferrals) => {
      if (deferrals[0]?.claims === 0) statements.push(deferrals.map(({ byMs }) => byMs));
      return store.defer(deferrals);
    },
  });
  return { statements, faultyStore, deferred: () => statements.flat().length };
};
const waitingIn = ({ engine }: Pick<Awaited<ReturnType<typeof laneScene>>, 'engine'>) => engine.lanes[0]?.waiting;
const subjectsOf = (timers: readonly { readonly timer: Pick<Timer, 'subject'> }[]) =>
  timers.map(({ timer }) => timer.subject);

describe('timers of a lane', () => {
  it('are called for in their order, as many as have room, the next one before the index has the outcome', async () => {
    const written = Promise.withResolvers<void>();
    const mail = calledByHand('mail', { atOnce: 2 });
    const { timers, engine, nowMs } = await laneScene({
      kinds: [mail],
      faultyIndex: (index) => ({
        orders: { remove: (entries) => written.promise.then(() => index.orders.remove(entries)) },
      }),
    });
    await timers.schedule(spread('mail', 3, { fromMs: nowMs }));
    await quiet();
    expect(engine.lanes).toEqual([{ kind: 'mail', running: 2, waiting: 1 }]);
    await timers.schedule([{ kind: 'mail', subject: 'later', owner: 'ann', dueAtMs: nowMs }]);
    for (const at of [0, 1, 2, 3]) {
      await quiet();
      mail.calls[at]?.reply();
    }
    expect(subjectsOf(mail.calls)).toEqual(['mail-0', 'mail-1', 'mail-2', 'later']);
    written.resolve();
    await quiet();
    expect(engine.lanes).toEqual([{ kind: 'mail', running: 0, waiting: 0 }]);
  });

  it('fire while the index is updated for those before them, whose deliveries wait for that', async () => {
    const written = Promise.withResolvers<void>();
    let isStalled = false;
    const feast = workedByHand('feast');
    const { timers, index, nowMs, advance } = await laneScene({
      kinds: [feast],
      batchLimit: 1,
      faultyIndex: ({ orders }) => ({
        orders: {
          put: (entries) => (isStalled ? written.promise.then(() => orders.put(entries)) : orders.put(entries)),
        },
      }),
    });
    await timers.schedule(spread('feast', 2, { fromMs: nowMs }).map((each) => ({ ...each, every: { ms: 60_000 } })));
    await quiet();
    isStalled = true;
    feast.turns[0]?.end();
    await quiet();
    expect(feast.turns.map(({ subjects }) => subjects)).toEqual([['feast-0'], ['feast-1']]);
    feast.turns[1]?.end();
    await advance(100);
    expect(await index.queue.oldestUnackedMs()).toEqual([100]);
    written.resolve();
    await quiet();
    expect(await index.queue.oldestUnackedMs()).toEqual([0]);
  });

  it('that the world failed together fire alone, each in turn with the others', async () => {
    const feast = workedByHand('feast');
    let faults = 1;
    const { timers, nowMs, advance } = await laneScene({
      kinds: [feast],
      batchLimit: 3,
      faultyStore: (store) => ({
        isWorldFault: () => true,
        fire: (seen, work) => {
          faults -= 1;
          return faults === 0 ? Promise.reject(new Error('connection lost')) : store.fire(seen, work);
        },
      }),
    });
    const all = spread('feast', 8, { fromMs: nowMs });
    await timers.schedule(all.slice(0, 3));
    await quiet();
    expect(feast.turns).toEqual([]);
    // One runs and one waits before the three come again; the others wait behind these.
    const delaysMs = [450, 475, 500, 500, 500];
    await timers.schedule(all.slice(3).map((each, at) => ({ ...each, dueAtMs: nowMs + (delaysMs[at] ?? 0) })));
    await advance(525);
    for (let turn = 0; turn < 8; turn += 1) {
      feast.turns[turn]?.end();
      await advance(25);
    }
    const subjects = feast.turns.map((turn) => turn.subjects.map((one) => one.slice('feast-'.length)).join(''));
    expect(subjects).toEqual(['3', '0', '456', '1', '7', '2']);
  });
});

describe('timers that have no room', () => {
  it('are deferred in their rows once their lane stalled for a second: by one second to thirty', async () => {
    const { statements, faultyStore } = recordedDeferrals();
    const { timers, index, engine, nowMs, advance, events } = await laneScene({
      kinds: [{ kind: 'refund', call: never, atOnce: 1, timeoutMs: 60_000 }],
      faultyStore,
    });
    await timers.schedule(spread('refund', 61, { fromMs: nowMs }));
    await quiet();
    await advance(975);
    expect(statements).toEqual([]);
    await advance(25);
    const byMs = Array.from({ length: 60 }, (_, at) => Math.min(30_000, (at + 1) * 1000));
    expect(statements).toEqual([byMs]);
    expect(events.filter(({ type }) => type === 'deferred')).toEqual([{ type: 'deferred', kind: 'refund', count: 60 }]);
    expect(engine.lanes).toEqual([{ kind: 'refund', running: 1, waiting: 0 }]);
    const rows = (await timers.find(spread('refund', 61, { fromMs: 0 }))).flatMap((row) => row ?? []);
    expect(rows.slice(1).map(({ fireAtMs }) => fireAtMs - nowMs - 1000)).toEqual(byMs);
    for (const row of rows.slice(1))
      expect(row).toMatchObject({ claims: 0, attempt: 0, dueAtMs: nowMs, updatedAtMs: nowMs });
    const entries = await index.orders.between(0, 2 ** 42, 100);
    expect(entries.filter(({ fireAtMs }) => fireAtMs === nowMs + 31_000)).toHaveLength(31);
    expect(await index.queue.oldestUnackedMs()).toEqual([0]);
  });

  it.each([
    ['for a second in a lane of calls', 1000],
    ['for two seconds in a lane of transactions', 2000],
  ])(
    'are deferred once the first of them waited %s, though the lane goes on, by what it finished lately',
    async (_what, patienceMs) => {
      const { statements, faultyStore } = recordedDeferrals();
      const { turns, ...fires } = workedByHand('order');
      const { calls, ...called } = calledByHand('order', { atOnce: 1 });
      const { timers, nowMs, advance } = await laneScene({
        kinds: [patienceMs === 1000 ? called : fires],
        batchLimit: 1,
        faultyStore,
      });
      await timers.schedule(spread('order', 12, { fromMs: nowMs }));
      await quiet();
      for (let turn = 0; turn < patienceMs / 500 - 1; turn += 1) {
        await advance(500);
        turns[turn]?.end();
        calls[turn]?.reply();
        await quiet();
      }
      await advance(475);
      expect(statements).toEqual([]);
      await advance(25);
      // One each half second, and the one that runs.
      expect(statements[0]?.slice(0, 5)).toEqual([1000, 1000, 1500, 2000, 2500]);
    },
  );

  it.each([
    [
      'stay in a herd, where a thousand end in each second, and so do their deliveries',
      { turnMs: 475, turns: 7, deferred: 0 },
    ],
    ['are deferred where less than a thousand end in a second', { turnMs: 600, turns: 4, deferred: 1500 }],
  ])('%s', async (_what, { turnMs, turns, deferred }) => {
    const { statements, faultyStore } = recordedDeferrals();
    const feast = workedByHand('feast');
    const { timers, engine, index, nowMs, advance } = await laneScene({ kinds: [feast], faultyStore });
    await timers.schedule(spread('feast', 3500, { fromMs: nowMs }));
    await quiet();
    for (let turn = 0; turn < turns; turn += 1) {
      await advance(turnMs);
      feast.turns[turn]?.end();
      await quiet();
    }
    expect(statements.flat()).toHaveLength(deferred);
    expect(engine.lanes).toEqual([{ kind: 'feast', running: 0, waiting: 0 }]);
    expect(await index.queue.oldestUnackedMs()).toEqual([0]);
  });

  it('are deferred by a thousand in a statement, each by its place among all', async () => {
    const { statements, faultyStore } = recordedDeferrals();
    const { timers, nowMs, advance, events } = await laneScene({ kinds: [hanging], faultyStore });
    await timers.schedule(spread('feast', 2500, { fromMs: nowMs }));
    await quiet();
    await advance(1100);
    expect(statements.map(({ length }) => length)).toEqual([1000, 1000]);
    // Five hundred a second.
    expect(statements.flat()).toEqual(Array.from({ length: 2000 }, (_, at) => Math.max(1000, 2 * (at + 1))));
    const counts = events.flatMap((event) => (event.type === 'deferred' ? event.count : []));
    expect(counts).toEqual([1000, 1000]);
  });

  it('come again in five seconds, by the index alone, once their kind is paused', async () => {
    const { statements, faultyStore } = recordedDeferrals();
    const refund = calledByHand('refund', { atOnce: 1 });
    const { engine, index, timers, nowMs, clock, advance, events } = await laneScene({ kinds: [refund], faultyStore });
    await timers.schedule(spread('refund', 3, { fromMs: nowMs }));
    await quiet();
    await timers.pauseKind('refund');
    await advance(975);
    const pausedMs = clock.nowMs();
    refund.calls[0]?.reply();
    await quiet();
    expect(engine.lanes).toEqual([{ kind: 'refund', running: 0, waiting: 0 }]);
    const entries = await index.orders.between(0, 2 ** 42, 10);
    expect(entries.map(({ fireAtMs }) => fireAtMs)).toEqual([pausedMs + 5000, pausedMs + 5000]);
    expect(events).toContainEqual({ type: 'requeued', reason: 'paused', count: 2 });
    expect([statements, refund.calls.length]).toEqual([[], 1]);
  });

  it('do not fire once their kind is paused while they wait for a connection', async () => {
    const [feast, brew] = [workedByHand('feast'), workedByHand('brew')];
    const { timers, nowMs, events } = await laneScene({ kinds: [feast, brew], fireConnections: 1 });
    await timers.schedule([...spread('feast', 1, { fromMs: nowMs }), ...spread('brew', 2, { fromMs: nowMs })]);
    await quiet();
    await timers.pauseKind('brew');
    feast.turns[0]?.end();
    await quiet();
    expect(brew.turns).toEqual([]);
    expect(events).toContainEqual({ type: 'requeued', reason: 'paused', count: 2 });
  });
});

it('kinds wait for a connection in their order; one that fails gives its place to the next', async () => {
  const kinds = ['a', 'b', 'c', 'd'].map((kind) => workedByHand(kind));
  const { timers, nowMs } = await laneScene({
    kinds,
    fireConnections: 2,
    // The transactions of the store in memory run one after the other.
    faultyStore: () => ({
      fire: async (seen, work) => {
        await work({} as never, { timers: seen, nowMs });
        return { timers: seen, nowMs };
      },
    }),
  });
  const begun = () => kinds.map(({ turns }) => turns.length).join('');
  const schedule = async (subject: string) => {
    await timers.schedule(kinds.map(({ kind }) => ({ kind, subject, owner: 'ann', dueAtMs: nowMs })));
    await quiet();
  };
  const turnOf = async (at: number, end: (turn: ReturnType<typeof workedByHand>['turns'][number]) => void) => {
    kinds[at]?.turns.slice(-1).forEach(end);
    await quiet();
    return begun();
  };
  await schedule('first');
  expect(begun()).toBe('1100');
  expect(await turnOf(0, ({ fail }) => fail(new Error('no')))).toBe('1110');
  expect(await turnOf(2, ({ end }) => end())).toBe('1111');
  for (const at of [1, 3]) await turnOf(at, ({ end }) => end());
  // What nobody waits for stays free, and is no more than before.
  await schedule('second');
  expect(begun()).toBe('2211');
});

describe('more than ten thousand timers', () => {
  it('wait outside of the lane and come in as there is room; a full lane that is no herd defers all', async () => {
    const settles: (() => void)[] = [];
    const pet = thingKind('pet', async (owners) => {
      await new Promise<void>((resolve) => settles.push(resolve));
      const rows = await scene.rows.listByOwners(owners);
      return { unsettled: [], moved: new Set(rows.map(({ id }) => id)) };
    });
    const scene = await laneScene({ kinds: [pet] });
    const deferred = () => scene.events.reduce((sum, event) => sum + (event.type === 'deferred' ? event.count : 0), 0);
    await scene.engine.indexWriter.apply(
      await scene.rows.changeThings({ put: spread('pet', 11_600, { fromMs: scene.nowMs }) }),
    );
    await scene.advance(875);
    expect(waitingIn(scene)).toBe(10_000);
    settles[0]?.();
    await scene.advance(100);
    // Five hundred came in.
    expect([waitingIn(scene), deferred()]).toEqual([10_000, 0]);
    await scene.advance(50);
    expect(deferred()).toBe(10_000);
    await scene.advance(100);
    expect(waitingIn(scene)).toBe(100);
  });

  it('are deferred at once behind those that wait where the lane is slow', async () => {
    const { statements, faultyStore } = recordedDeferrals();
    const scene = await laneScene({ kinds: [hanging], faultyStore });
    await scene.timers.schedule(spread('feast', 500, { fromMs: scene.nowMs }));
    await scene.advance(1100);
    const later = spread('feast', 10_001, { fromMs: scene.nowMs });
    await scene.timers.schedule(later.map((each) => ({ ...each, subject: `later-${each.subject}` })));
    await scene.advance(25);
    expect(waitingIn(scene)).toBe(10_000);
    expect(statements).toEqual([[expect.any(Number)]]);
    // Five hundred a second.
    expect(statements[0]?.[0]).toBeGreaterThan(20_000);
  });

  it('are requeued when the engine stops, those outside too, and none is deferred after that', async () => {
    const { statements, faultyStore } = recordedDeferrals();
    const feast = workedByHand('feast');
    const { engine, timers, nowMs, advance, events } = await laneScene({ kinds: [feast], faultyStore });
    await timers.schedule(spread('feast', 10_600, { fromMs: nowMs }));
    await advance(100);
    const stopped = engine.stop();
    await quiet();
    const counts = events.flatMap((event) => (event.type === 'requeued' ? [[event.reason, event.count]] : []));
    expect(counts.map(([reason]) => reason)).toEqual(counts.map(() => 'stopping'));
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(10_100);
    expect(engine.lanes).toEqual([{ kind: 'feast', running: 500, waiting: 0 }]);
    await advance(3000);
    feast.turns[0]?.end();
    await stopped;
    expect([statements, feast.turns.length]).toEqual([[], 1]);
  });
});

describe('an engine that stops', () => {
  it('requeues what it is still reading, of kinds that it had not met before too', async () => {
    const read = Promise.withResolvers<void>();
    const mail = calledByHand('mail');
    const { engine, timers, index, nowMs, advance, events } = await laneScene({
      kinds: [mail],
      faultyStore: (store) => ({ read: (refs) => read.promise.then(() => store.read(refs)) }),
    });
    await timers.schedule(spread('mail', 2, { fromMs: nowMs }));
    await advance(25);
    const stopped = engine.stop();
    await quiet();
    read.resolve();
    await stopped;
    const entries = await index.orders.between(0, 2 ** 42, 10);
    expect(entries.map(({ fireAtMs }) => fireAtMs)).toEqual([nowMs, nowMs]);
    expect(events).toContainEqual({ type: 'requeued', reason: 'stopping', count: 2 });
    expect([mail.calls, await index.queue.oldestUnackedMs()]).toEqual([[], [0]]);
  });

  it('requeues a batch that waits for a connection', async () => {
    const [feast, brew] = [workedByHand('feast'), workedByHand('brew')];
    const { engine, timers, index, nowMs, events } = await laneScene({ kinds: [feast, brew], fireConnections: 1 });
    await timers.schedule([...spread('feast', 1, { fromMs: nowMs }), ...spread('brew', 1, { fromMs: nowMs })]);
    await quiet();
    expect([feast.turns.length, brew.turns.length]).toEqual([1, 0]);
    const stopped = engine.stop();
    await quiet();
    expect(events).toContainEqual({ type: 'requeued', reason: 'stopping', count: 1 });
    expect(await index.orders.between(0, 2 ** 42, 10)).toMatchObject([{ fireAtMs: nowMs }]);
    feast.turns[0]?.end();
    await stopped;
    expect(brew.turns).toEqual([]);
  });
});
