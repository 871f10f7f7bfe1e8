import { describe, expect, it } from 'vitest';
import { FireRunner } from '../../../../server/timer/fire/fire-runner.ts';
import { entryOf, type IndexChanges } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import { HandlerStuck, Locked } from '../../../../server/timer/model/timer-errors.ts';
import type { FiredTimer, HandlerTx } from '../../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../../server/timer/model/timer-store.ts';
import { causesOf } from '../../../../shared/game-code.ts';
import { afterLock } from '../../../support/engine/after-lock.ts';
import { firingScene } from '../../../support/engine/firing-scene.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';

const noWorld = new Error('no Postgres');

/** Three due timers of a kind with a handler that the test controls. */
const makeScene = async (
  handle: (timers: readonly FiredTimer[], tx: HandlerTx) => Promise<void> = async () => undefined,
  faultyStore: Partial<TimerStore> = {},
) => {
  const told: IndexChanges[] = [];
  const scene = await firingScene({
    faultyStore: {
      isWorldFault: (error) => causesOf(error).includes(noWorld) || error instanceof HandlerStuck,
      ...faultyStore,
    },
    faultyWriter: {
      apply: async (changes) => void (changes.put.length + changes.remove.length > 0 && told.push(changes)),
    },
  });
  const failures: object[] = [];
  const error = (fields: object): void => void failures.push(fields);
  const tools = { ...scene.tools, log: { ...scene.tools.log, error } };
  const wanted = ['b', 'c'].map((subject) => ({ kind: 'order', subject, owner: 'ann', dueAtMs: scene.nowMs - 40 }));
  const outcomes = await tools.store.schedule(wanted);
  const timers = [scene.timer, ...outcomes.flatMap((outcome) => ('timer' in outcome ? outcome.timer : []))];
  const handled: string[] = [];
  const kind = {
    kind: 'order',
    retryDelaysMs: [1000],
    fire: async (fired: readonly FiredTimer[], tx: HandlerTx): Promise<undefined> => {
      handled.push(fired.map(({ subject }) => subject).join(''));
      await handle(fired, tx);
    },
  };
  const runner = new FireRunner({ tools, kind });
  const run = (some: readonly Timer[] = timers) => runner.run(some);
  const suspects = () => timers.filter(({ id }) => runner.isSuspect(id)).map(({ subject }) => subject);
  const rowOf = async ({ id }: Timer): Promise<Timer | undefined> => (await tools.store.find([{ timerId: id }]))[0];
  return { ...scene, tools, timers, handled, run, runner, suspects, rowOf, told, failures };
};

describe('a batch that fires', () => {
  it('is told as fired, at the time of its transaction', async () => {
    const heard: FiredTimer[] = [];
    const { run, timers, handled, events, rowOf, told, failures, nowMs } = await makeScene(async (fired) => {
      heard.push(...fired);
    });
    expect(await run()).toEqual({ entries: [], finished: 3 });
    expect(handled).toEqual(['sbc']);
    expect(heard).toEqual(timers.map((timer) => ({ ...timer, isMisfire: false, lateMs: 0, missed: 0 })));
    expect([told, failures]).toEqual([[], []]);
    expect(events).toEqual([{ type: 'fired', kind: 'order', timers, nowMs }]);
    for (const timer of timers) expect(await rowOf(timer)).toMatchObject({ state: 'completed' });
  });

  it('hands its timers over in due order, then by id, whatever the order of their rows', async () => {
    const { timers, run, handled, tools, nowMs } = await makeScene();
    const later = { kind: 'order', owner: 'ann' };
    const more = await tools.store.schedule([
      { ...later, subject: 'y', dueAtMs: nowMs - 10 },
      { ...later, subject: 'x', dueAtMs: nowMs - 90 },
      { ...later, subject: 'z', dueAtMs: nowMs - 10 },
    ]);
    await run([...more.map(({ timer }) => timer), ...timers]);
    expect(handled).toEqual([`x${timers.map(({ subject }) => subject).join('')}yz`]);
  });

  it('does nothing without timers', async () => {
    const { run, handled, events } = await makeScene();
    expect(await run([])).toEqual({ entries: [], finished: 0 });
    expect([handled, events]).toEqual([[], []]);
  });

  it('leaves out what is not due under the lock, and what another transaction has', async () => {
    const just = (timer: Timer): Timer => ({ ...timer, fireAtMs: timer.fireAtMs + 40 });
    const early = (timer: Timer): Timer => ({ ...timer, fireAtMs: timer.fireAtMs + 41 });
    const { run, timers, handled, events, nowMs } = await makeScene(undefined, {
      fire: async ([first, second], work) => {
        const locked = { timers: first && second ? [just(first), early(second)] : [], nowMs: 1_790_000_000_000 };
        await work({} as never, locked);
        return locked;
      },
    });
    const [first, second, third] = timers;
    if (!first || !second || !third) throw new Error('three timers');
    const entries = [entryOf(early(second)), afterLock(third, nowMs)];
    expect(await run()).toEqual({ entries, finished: 1 });
    expect(handled).toEqual(['s']);
    expect(events).toEqual([
      { type: 'fired', kind: 'order', timers: [just(first)], nowMs },
      { type: 'requeued', reason: 'locked', count: 1 },
    ]);
  });

  it('does nothing where no timer is due under the lock', async () => {
    const { run, timers, handled, events } = await makeScene(undefined, {
      fire: async (seen, work) => {
        const locked = {
          timers: seen.map((timer) => ({ ...timer, fireAtMs: timer.fireAtMs + 41 })),
          nowMs: 1_790_000_000_000,
        };
        expect(await work({} as never, locked)).toEqual([]);
        return locked;
      },
    });
    expect(await run()).toEqual({ entries: expect.toSatisfy((some) => some.length === timers.length), finished: 0 });
    expect([handled, events]).toEqual([[], []]);
  });
});

describe('a batch that fails', () => {
  it('is cut in halves until the poison is alone: that has failed, the others have fired', async () => {
    const poison = new Error('poison');
    const { run, timers, handled, events, suspects, rowOf } = await makeScene(async (fired) => {
      if (fired.some(({ subject }) => subject === 'c')) throw poison;
    });
    const { entries, finished } = await run();
    expect(finished).toBe(3);
    expect(handled).toEqual(['sbc', 'sb', 'c']);
    const [first, second, third] = timers;
    const row = third && (await rowOf(third));
    expect(row).toMatchObject({ state: 'scheduled', attempt: 1 });
    expect(entries).toEqual(row && [entryOf(row)]);
    expect(events).toEqual([
      { type: 'fired', kind: 'order', timers: [first, second], nowMs: expect.any(Number) },
      { type: 'failed', timer: third, error: expect.objectContaining({ whose: 'handler of kind "order"' }) },
    ]);
    expect(suspects()).toEqual([]);
  });

  it('with the world comes again soon, uncounted, each alone', async () => {
    const { run, timers, events, suspects, runner, nowMs } = await makeScene(() => Promise.reject(noWorld));
    const entries = timers.map((timer) => ({ ...entryOf(timer), fireAtMs: nowMs + 500 }));
    expect(await run()).toEqual({ entries, finished: 0 });
    expect(events).toEqual([{ type: 'requeued', reason: 'world-fault', count: 3 }]);
    expect(suspects()).toEqual(['s', 'b', 'c']);
    const [first] = timers;
    await run(first && [first]);
    expect(suspects()).toEqual(['b', 'c']);
    expect(runner.isSuspect('another')).toBe(false);
  });

  it('with a lock comes again by how late it is, uncounted, and alone also when it was alone', async () => {
    const { run, timers, events, suspects, nowMs } = await makeScene(() => Promise.reject(new Locked('taken')));
    const entries = timers.map((timer) => afterLock(timer, nowMs));
    expect(await run()).toEqual({ entries, finished: 0 });
    expect(events).toEqual([{ type: 'requeued', reason: 'locked', count: 3 }]);
    expect(suspects()).toEqual(['s', 'b', 'c']);
    const [first] = timers;
    await run(first && [first]);
    expect(suspects()).toEqual(['s', 'b', 'c']);
  });

  it('keeps ten thousand in mind that have to go alone', async () => {
    const { run, timer, runner } = await makeScene(() => Promise.reject(new Locked('taken')), {
      fire: () => Promise.reject(new Locked('taken')),
    });
    const many = (count: number, from: number) =>
      Array.from({ length: count }, (_, at) => ({ ...timer, id: `${from + at}` }));
    await run(many(9999, 0));
    await run(many(1, 20_000));
    expect(runner.isSuspect('20000')).toBe(true);
    await run(many(1, 30_000));
    expect(runner.isSuspect('30000')).toBe(false);
  });

  it('since its handler does not come back has failed where it is one timer, and comes again alone where it is more', async () => {
    const { run, timers, clock, events, suspects, rowOf } = await makeScene(() => new Promise(() => undefined));
    const [first, ...others] = timers;
    const alone = run(first && [first]);
    await quiet();
    clock.advance(4999);
    await quiet();
    expect(events).toEqual([]);
    clock.advance(1);
    await alone;
    expect(events).toMatchObject([{ type: 'failed', error: { name: 'HandlerStuck', code: '25P03' } }]);
    expect(first && (await rowOf(first))).toMatchObject({ attempt: 1 });
    const together = run(others);
    await quiet();
    clock.advance(5000);
    await together;
    expect(events.at(-1)).toEqual({ type: 'requeued', reason: 'world-fault', count: 2 });
    expect(suspects()).toEqual(['b', 'c']);
  });
});

describe('what a handler leaves for after its commit', () => {
  it('is run once it has committed, in its order; what throws is logged and holds up nothing', async () => {
    const broken = new Error('a hook');
    const ran: string[] = [];
    const { run, failures } = await makeScene(async (_fired, { afterCommit }) => {
      afterCommit(() => {
        throw broken;
      });
      afterCommit(() => ran.push('second'));
    });
    await run();
    expect(ran).toEqual(['second']);
    expect(failures).toMatchObject([{ err: { thrown: broken, whose: 'handler of kind "order"' }, kind: 'order' }]);
  });

  it('is dropped with a try that failed', async () => {
    const ran: string[] = [];
    const { run } = await makeScene(async (fired, { afterCommit }) => {
      afterCommit(() => ran.push(fired.map(({ subject }) => subject).join('')));
      if (fired.length > 1) throw new Error('together they fail');
    });
    await run();
    expect(ran).toEqual(['s', 'b', 'c']);
  });

  it('is told to the index: its own timers that come again by the entries, others at once', async () => {
    const { run, timers, told, rowOf, tools, nowMs } = await makeScene(async (fired, tx) => {
      const again = fired.map(({ subject, owner }) => ({ kind: 'order', subject, owner, dueAtMs: nowMs + 70 }));
      await tx.timers.schedule([
        ...again.slice(0, 1),
        { kind: 'order', subject: 'z', owner: 'bob', dueAtMs: nowMs + 90 },
        ...again.slice(1),
      ]);
    });
    tools.kinds.register({ kind: 'order', fire: async () => undefined });
    // They were moved: they come again, but as others.
    const { entries, finished } = await run();
    expect(finished).toBe(3);
    const rows = await Promise.all(timers.map(rowOf));
    expect(entries).toEqual(rows.flatMap((row) => (row ? entryOf(row) : [])));
    expect(rows.map((row) => [row?.dueAtMs, row?.turn])).toEqual(timers.map(() => [nowMs + 70, 2]));
    const [other] = await tools.store.find([{ kind: 'order', subject: 'z' }]);
    expect(told).toEqual([{ put: other && [entryOf(other)], remove: [] }]);
  });

  it('has timers of others written once for a key, and dated by the time under the lock', async () => {
    const outcomes: unknown[] = [];
    const { run, timer, tools, nowMs } = await makeScene(async (_fired, tx) => {
      const other = { kind: 'order', subject: 'z', owner: 'bob', every: { ms: 5000 }, inMs: 70 };
      for (const _ of [1, 2]) outcomes.push(...(await tx.timers.schedule([other], { idempotencyKey: 'a key' })));
    });
    tools.kinds.register({ kind: 'order', fire: async () => undefined });
    await run([timer]);
    const [other] = await tools.store.find([{ kind: 'order', subject: 'z' }]);
    expect(other?.dueAtMs).toBe(nowMs + 70);
    expect(outcomes).toMatchObject([
      { outcome: 'applied', timer: { id: other?.id } },
      { outcome: 'applied', timer: { id: other?.id } },
    ]);
  });
});
