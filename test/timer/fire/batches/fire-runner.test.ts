import { describe, expect, it } from 'vitest';
import { FireRunner } from '../../../../server/timer/fire/fire-runner.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import { HandlerStuck, Locked } from '../../../../server/timer/model/timer-errors.ts';
import type { TimerStore } from '../../../../server/timer/model/timer-store.ts';
import { makeTools, NOW_MS, timerOf, torn } from '../../../support/engine/firing-tools.ts';

interface Faults {
  /** What the transaction of these timers throws; undefined: it commits. */
  readonly faultOf?: (ids: readonly string[]) => unknown;
  /** Rows that the transaction does not get. */
  readonly isLocked?: (timer: Timer) => boolean;
  readonly store?: Partial<TimerStore>;
}

/** A runner whose handler does nothing. */
const makeRunner = ({ faultOf = () => undefined, isLocked = () => false, store }: Faults = {}) => {
  const batches: string[] = [];
  const calls: string[] = [];
  const made = makeTools({
    fire: async (seen, work) => {
      const ids = seen.map(({ id }) => id);
      batches.push(ids.join(' '));
      const fault = faultOf(ids);
      if (fault !== undefined) throw fault;
      const timers = seen.filter((timer) => !isLocked(timer));
      await work({ query: async () => ({ rows: [] }) } as never, { timers, nowMs: NOW_MS } as never);
      return { timers, nowMs: NOW_MS } as never;
    },
    save: async (updates) => {
      calls.push(...updates.map(({ timerId, attempt }) => `failed ${timerId} ${attempt}`));
      return updates.map(({ timerId, fireAtMs }) =>
        timerOf(timerId, { fireAtMs: fireAtMs ?? 0, revision: 2 }),
      ) as never;
    },
    defer: async (deferrals) => {
      calls.push(...deferrals.map(({ timerId, byMs }) => `deferred ${timerId} ${byMs}`));
      const timers = deferrals.map(({ timerId, byMs }) => timerOf(timerId, { fireAtMs: NOW_MS + byMs, revision: 2 }));
      return { timers, nowMs: NOW_MS };
    },
    ...store,
  });
  const kind = { kind: 'order', fire: async () => undefined, retryDelaysMs: [7000] };
  made.tools.kinds.register(kind);
  const stale: unknown[] = [];
  const runner = new FireRunner({ tools: made.tools, kind, abortStale: (entries) => stale.push(entries) });
  /** Its entries as `id later by`, and how many timers are finished. */
  const run = async (...timers: readonly Timer[]) => {
    const { entries, finished } = await runner.run(timers);
    return { again: entries.map(({ timerId, fireAtMs }) => [timerId, fireAtMs - NOW_MS]), finished };
  };
  const requeued = () =>
    made.events.flatMap((event) => (event.type === 'requeued' ? `${event.reason} ${event.count}` : []));
  return { ...made, runner, run, batches, calls, stale, requeued };
};
const due = (...ids: readonly string[]) => ids.map((id) => timerOf(id));

it('fires a batch in one transaction, and tells of it', async () => {
  const { run, events, batches, stale } = makeRunner();
  expect(await run(...due('1', '3'))).toEqual({ again: [], finished: 2 });
  expect([batches, stale]).toEqual([['1 3'], [[]]]);
  expect(events).toMatchObject([{ type: 'fired', kind: 'order', timers: [{ id: '1' }, { id: '3' }], nowMs: NOW_MS }]);
});

it('fires nothing while its kind is paused', async () => {
  const { run, tools, requeued, batches } = makeRunner();
  tools.kinds.setPaused(new Set(['order']));
  expect(await run(...due('1', '3'))).toEqual({
    again: [
      ['1', 5000],
      ['3', 5000],
    ],
    finished: 0,
  });
  expect([requeued(), batches]).toEqual([['paused 2'], []]);
});

it('fires no later half once its kind is paused', async () => {
  const { run, tools, requeued, batches } = makeRunner({
    faultOf: (ids) => {
      if (ids.length === 1) tools.kinds.setPaused(new Set(['order']));
      return ids.length > 1 ? torn : undefined;
    },
  });
  expect(await run(...due('1', '3'))).toEqual({ again: [['3', 5000]], finished: 1 });
  expect([batches, requeued()]).toEqual([['1 3', '1'], ['paused 1']]);
});

it('requeues a row that another transaction has; one that is early has its entry; neither is finished', async () => {
  const { run, events, requeued } = makeRunner({ isLocked: ({ id }) => id === '3' });
  const early = timerOf('5', { fireAtMs: NOW_MS + 9 });
  expect(await run(...due('1', '3'), early)).toEqual({
    again: [
      ['5', 9],
      ['3', 10],
    ],
    finished: 1,
  });
  expect(requeued()).toEqual(['locked 1']);
  expect(events.find(({ type }) => type === 'fired')).toMatchObject({ timers: [{ id: '1' }] });
  const { run: again, events: none } = makeRunner();
  await again(early);
  expect(none).toEqual([]);
});

describe('a batch that fails', () => {
  it('is halved until the poison timer is alone: this one has failed, the others fire', async () => {
    const { run, batches, calls, events } = makeRunner({ faultOf: (ids) => (ids.includes('5') ? torn : undefined) });
    expect(await run(...due('1', '3', '5', '7', '9'))).toEqual({ again: [['5', 7000]], finished: 5 });
    expect(batches).toEqual(['1 3 5 7 9', '1 3 5', '1 3', '5', '7 9']);
    expect(calls).toEqual(['failed 5 1']);
    expect(events.filter(({ type }) => type === 'failed')).toHaveLength(1);
  });

  it('is not halved where the world fails: all come again, each alone', async () => {
    const { run, runner, batches, requeued, lines } = makeRunner({
      faultOf: () => torn,
      store: { isWorldFault: () => true },
    });
    expect(await run(...due('1', '3'))).toEqual({
      again: [
        ['1', 500],
        ['3', 500],
      ],
      finished: 0,
    });
    expect([batches, requeued(), runner.isSuspect('1'), runner.isSuspect('3')]).toEqual([
      ['1 3'],
      ['world-fault 2'],
      true,
      true,
    ]);
    expect(lines).toHaveLength(1);
  });

  it('of one timer, by a fault of the world, is deferred in its row', async () => {
    const { run, runner, calls } = makeRunner({ faultOf: () => torn, store: { isWorldFault: () => true } });
    expect(await run(...due('1'))).toEqual({ again: [['1', 500]], finished: 1 });
    expect([calls, runner.isSuspect('1')]).toEqual([['deferred 1 500'], true]);
  });

  it('by a stuck handler has failed, though its connection is lost', async () => {
    const { run, calls } = makeRunner({
      faultOf: () => new HandlerStuck('too long'),
      store: { isWorldFault: () => true },
    });
    await run(...due('1'));
    expect(calls).toEqual(['failed 1 1']);
  });

  it.each([
    [1999, ['1 3 5 7', '1 3', '1', '3', '5 7', '5', '7']],
    [2000, ['1 3 5 7']],
  ])('and has taken %s ms is halved, or its rest comes again', async (tookMs, expected) => {
    const scene = makeRunner({
      faultOf: (ids) => {
        if (ids.length === 4) scene.clock.advance(tookMs);
        return torn;
      },
    });
    await scene.run(...due('1', '3', '5', '7'));
    expect(scene.batches).toEqual(expected);
    expect(scene.runner.isSuspect('7')).toBe(tookMs >= 2000);
  });

  it('slowly in its first half leaves the second half to come again, each timer alone', async () => {
    const scene = makeRunner({
      faultOf: (ids) => {
        if (ids.join() === '3') scene.clock.advance(2000);
        return torn;
      },
    });
    const { again } = await scene.run(...due('1', '3', '5', '7'));
    expect(scene.batches).toEqual(['1 3 5 7', '1 3', '1', '3']);
    expect(again.map(([id]) => id)).toEqual(['1', '3', '5', '7']);
    expect(['1', '3', '5', '7'].map((id) => scene.runner.isSuspect(id))).toEqual([false, false, true, true]);
    expect(scene.requeued()).toEqual(['world-fault 2']);
  });
});

describe('a handler that meets a lock', () => {
  it('has not failed: its timers come again, each alone', async () => {
    const { run, runner, requeued, batches } = makeRunner({ faultOf: () => new Locked('busy') });
    expect(await run(...due('1', '3'))).toEqual({
      again: [
        ['1', 10],
        ['3', 10],
      ],
      finished: 0,
    });
    expect([requeued(), batches, runner.isSuspect('1'), runner.isSuspect('3')]).toEqual([
      ['locked 2'],
      ['1 3'],
      true,
      true,
    ]);
    expect(await run(...due('1'))).toEqual({ again: [['1', 10]], finished: 0 });
    expect(runner.isSuspect('1')).toBe(true);
  });

  it('is no longer a suspect once it has fired', async () => {
    let isBusy = true;
    const { run, runner } = makeRunner({ faultOf: () => (isBusy ? new Locked('busy') : undefined) });
    await run(...due('1'));
    isBusy = false;
    await run(...due('1'));
    expect(runner.isSuspect('1')).toBe(false);
  });

  it('of Postgres alone twenty times in a row has failed at the next; one that fires begins anew', async () => {
    let isBusy = true;
    const { run, calls } = makeRunner({
      faultOf: () => (isBusy ? torn : undefined),
      store: { isContention: () => true },
    });
    for (let at = 0; at < 20; at += 1) await run(...due('1'));
    expect(new Set(calls)).toEqual(new Set(['deferred 1 500']));
    isBusy = false;
    await run(...due('1'));
    isBusy = true;
    for (let at = 0; at < 20; at += 1) await run(...due('1'));
    expect(calls).toHaveLength(40);
    await run(...due('1'));
    expect(calls.at(-1)).toBe('failed 1 1');
    await run(...due('1'));
    expect(calls.at(-1)).toBe('deferred 1 500');
  });

  it('of Postgres counts for each timer by itself, and not in a batch', async () => {
    const { run, calls, requeued } = makeRunner({ faultOf: () => torn, store: { isContention: () => true } });
    for (let at = 0; at < 20; at += 1) await run(...due('1', '3'));
    expect([calls, new Set(requeued())]).toEqual([[], new Set(['world-fault 2'])]);
    for (let at = 0; at < 20; at += 1) {
      await run(...due('1'));
      await run(...due('3'));
    }
    expect(calls.filter((call) => call.startsWith('failed'))).toEqual([]);
    await run(...due('1'));
    await run(...due('3'));
    expect(calls.slice(-2)).toEqual(['failed 1 1', 'failed 3 1']);
  });
});
