import { describe, expect, it } from 'vitest';
import { Calls } from '../../../../server/timer/fire/calls.ts';
import { InFlight } from '../../../../server/timer/fire/in-flight.ts';
import { CallAborted } from '../../../../server/timer/fire/running-call.ts';
import { entryOf, type IndexChanges } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { TimerStore, TimerUpdate } from '../../../../server/timer/model/timer-store.ts';
import { afterLock } from '../../../support/engine/after-lock.ts';
import { firingScene } from '../../../support/engine/firing-scene.ts';
import { holdClaims } from '../../../support/engine/hold-claims.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';

const CLAIM_MS = 3000 + 5000;

/** Calls to a service with manual replies. The updates of the index are recorded. */
const makeScene = async (faultyStore: Partial<TimerStore> = {}) => {
  const told: IndexChanges[] = [];
  const apply = async (changes: IndexChanges): Promise<void> => {
    if (changes.put.length + changes.remove.length > 0) told.push(changes);
  };
  const scene = await firingScene({ faultyStore, faultyWriter: { apply } });
  const { nowMs } = scene;
  const failures: object[] = [];
  const error = (fields: object): void => void failures.push(fields);
  const tools = { ...scene.tools, log: { ...scene.tools.log, error } };
  const asked: {
    readonly signal: AbortSignal;
    readonly answer: (result?: unknown) => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  const calls = new Calls({
    tools,
    kind: {
      kind: 'order',
      timeoutMs: 3000,
      atOnce: 3,
      retryDelaysMs: [1000],
      call: (_timer, signal) => new Promise((answer, fail) => asked.push({ signal, answer, fail })),
    },
  });
  const turns: number[] = [];
  const ended: string[] = [];
  const settled: string[] = [];
  const begin = (...timers: readonly Timer[]) => {
    const taken = timers.map((timer) => new InFlight(timer, nowMs, (one) => ended.push(one.timer.subject)));
    for (const one of taken) void one.settled.then(() => settled.push(one.timer.subject));
    return calls.begin(taken, (finished) => turns.push(finished));
  };
  const add = async (subject: string): Promise<Timer> => {
    const [outcome] = await tools.store.schedule([{ kind: 'order', subject, owner: 'ann', dueAtMs: nowMs }]);
    if (outcome?.outcome !== 'applied') throw new Error('not scheduled');
    return outcome.timer;
  };
  const rowOf = async ({ id }: Timer): Promise<Timer> => {
    const [row] = await tools.store.find([{ timerId: id }]);
    if (row === undefined) throw new Error('no row');
    return row;
  };
  return { ...scene, tools, failures, calls, asked, told, turns, ended, settled, begin, add, rowOf };
};

describe('a claim', () => {
  it('takes all room while it is made, and counts as running', async () => {
    const { calls, tools, begin, add, timer } = await makeScene();
    void begin(timer);
    await quiet();
    expect([calls.room, calls.running, calls.capacity]).toEqual([2, 1, 3]);
    const letGo = holdClaims(tools.store);
    void begin(await add('second'));
    expect([calls.room, calls.running]).toEqual([0, 2]);
    letGo();
    await quiet();
    expect([calls.room, calls.running]).toEqual([1, 2]);
  });

  it('is told to the index before its delivery is let go', async () => {
    const { begin, timer, told, settled, rowOf, nowMs } = await makeScene();
    void begin(timer);
    await quiet();
    const row = await rowOf(timer);
    expect(row).toMatchObject({ fireAtMs: nowMs + CLAIM_MS, claims: 1 });
    expect(told).toEqual([{ put: [entryOf(row)], remove: [] }]);
    expect(settled).toEqual(['s']);
  });

  it('that comes too late, since the row has moved on, puts the timer back and makes no call', async () => {
    const { begin, add, timer, told, asked, turns, ended, settled, tools, rowOf, nowMs } = await makeScene();
    await tools.store.change([{ target: { timerId: timer.id }, change: 'reschedule', dueAtMs: nowMs }]);
    const second = await add('second');
    void begin(timer, second);
    await quiet();
    expect(asked).toHaveLength(1);
    expect(told).toEqual([
      { put: [entryOf(await rowOf(second))], remove: [] },
      { put: [afterLock(timer, nowMs)], remove: [] },
    ]);
    expect([ended, settled.toSorted(), turns]).toEqual([['s'], ['s', 'second'], [0]]);
  });

  it('that is made while the process stops is given back', async () => {
    const { calls, begin, timer, told, asked, ended, settled, events, tools, rowOf, nowMs } = await makeScene();
    const letGo = holdClaims(tools.store);
    const begun = begin(timer);
    calls.stop();
    letGo();
    await begun;
    const row = await rowOf(timer);
    expect(row).toMatchObject({ fireAtMs: nowMs, claims: 0 });
    expect(told).toEqual([{ put: [entryOf(row)], remove: [] }]);
    expect(events).toEqual([{ type: 'requeued', reason: 'stopping', count: 1 }]);
    expect([asked, ended, settled]).toEqual([[], ['s'], ['s']]);
  });

  it('is not made where more than five calls had no outcome: that is a failed attempt', async () => {
    const { begin, timer, told, asked, turns, settled, events, lines, tools, rowOf, nowMs } = await makeScene();
    tools.store.defer = () => Promise.reject(new Error('asked for nothing'));
    await begin({ ...timer, claims: 6 });
    expect(asked).toEqual([]);
    expect(turns).toEqual([1]);
    expect(settled).toEqual(['s']);
    const row = await rowOf(timer);
    expect(row).toMatchObject({ state: 'scheduled', attempt: 1, fireAtMs: nowMs + 1000 });
    expect(row.lastError).toContain('its call was begun 6 times');
    expect(told).toEqual([{ put: [entryOf(row)], remove: [] }]);
    expect(events.map(({ type }) => type)).toEqual(['failed']);
    expect(lines).toEqual([]);
  });
});

describe('the outcome of a call', () => {
  it('ends the work on its timer and gives its slot back, then the index hears of it', async () => {
    const { calls, begin, timer, asked, turns, ended, told, events, rowOf } = await makeScene();
    const begun = begin(timer);
    await quiet();
    told.length = 0;
    expect([ended, turns]).toEqual([[], [0]]);
    asked[0]?.answer('paid');
    await begun;
    expect(await rowOf(timer)).toMatchObject({ state: 'completed', result: 'paid' });
    expect([ended, turns, calls.running]).toEqual([['s'], [0, 1], 0]);
    expect(told.flatMap(({ remove }) => remove.map(({ timerId }) => timerId))).toEqual([timer.id]);
    expect(events.map(({ type }) => type)).toEqual(['fired']);
  });

  it('is told as failed, and as dead when no attempt is left', async () => {
    const { begin, timer, asked, events, rowOf } = await makeScene();
    const [first, second] = [new Error('no answer'), new Error('none again')];
    const begun = begin(timer);
    await quiet();
    asked[0]?.fail(first);
    await begun;
    const again = begin(await rowOf(timer));
    await quiet();
    asked[1]?.fail(second);
    await again;
    expect(events).toMatchObject([
      { type: 'failed', error: { thrown: first, whose: 'handler of kind "order"' } },
      { type: 'dead', error: { thrown: second } },
    ]);
    expect(await rowOf(timer)).toMatchObject({ state: 'dead' });
  });

  it('is dropped where the row has moved on unheard', async () => {
    const { begin, timer, asked, events, tools, nowMs } = await makeScene();
    const begun = begin(timer);
    await quiet();
    await tools.store.change([{ target: { timerId: timer.id }, change: 'reschedule', dueAtMs: nowMs + 9 }]);
    asked[0]?.answer('paid');
    await begun;
    expect(asked[0]?.signal.reason).toMatchObject({ why: 'moved' });
    expect(events).toEqual([]);
  });

  it('is a failed attempt where the recurrence cannot be read', async () => {
    const { begin, timer, asked, events, rowOf } = await makeScene();
    const begun = begin({ ...timer, recurrence: {} as never });
    await quiet();
    asked[0]?.answer('paid');
    await begun;
    expect(await rowOf(timer)).toMatchObject({ state: 'scheduled', attempt: 1 });
    expect(events.map(({ type }) => type)).toEqual(['failed']);
  });

  it('is saved again each half second while the claim lasts, when the world fails', async () => {
    let saves = 0;
    const fault = new Error('no Postgres');
    const save = (): Promise<never> => {
      saves += 1;
      return Promise.reject(fault);
    };
    const { begin, timer, asked, clock, failures, told, turns, ended } = await makeScene({
      save,
      isWorldFault: () => true,
    });
    const begun = begin(timer);
    await quiet();
    told.length = 0;
    asked[0]?.answer('paid');
    await quiet();
    for (let step = 1; step <= 10; step += 1) {
      expect(saves).toBe(step);
      clock.advance(499);
      await quiet();
      expect(saves).toBe(step);
      clock.advance(1);
      await quiet();
    }
    await begun;
    expect(saves).toBe(11);
    expect(failures).toEqual([{ err: fault, kind: 'order', timerId: timer.id }]);
    expect([told, turns.length, ended]).toEqual([[], 2, ['s']]);
  });

  it('is saved once more when the fault is not the world’s: without what it returned, and why', async () => {
    const results: unknown[] = [];
    const save = ([update]: readonly TimerUpdate[]): Promise<never> => {
      results.push(update?.result);
      return Promise.reject(new Error('a bug'));
    };
    const { begin, timer, asked, turns } = await makeScene({ save, isWorldFault: () => false });
    const begun = begin(timer);
    await quiet();
    asked[0]?.answer('paid');
    await begun;
    expect([results, turns.length]).toEqual([['paid', { notKept: 'Error: a bug' }], 2]);
  });
});

describe('a call that runs', () => {
  it('is ended only by news of a later revision', async () => {
    const { calls, begin, timer, asked, rowOf } = await makeScene();
    const begun = begin(timer);
    await quiet();
    const { revision } = await rowOf(timer);
    calls.abortStale([]);
    calls.abortStale([{ timerId: 'another', revision: revision + 1 }]);
    calls.abortStale([{ timerId: timer.id, revision }]);
    expect(asked[0]?.signal.aborted).toBe(false);
    calls.abortStale([{ timerId: timer.id, revision: revision + 1 }]);
    expect(asked[0]?.signal.reason).toMatchObject({ why: 'moved' });
    await begun;
  });

  it('goes on when the process stops, and is ended when that has no more time', async () => {
    const { calls, begin, timer, asked } = await makeScene();
    const begun = begin(timer);
    await quiet();
    calls.stop();
    expect(asked[0]?.signal.aborted).toBe(false);
    calls.abort();
    expect(asked[0]?.signal.reason).toMatchObject({ why: 'stopping' });
    await begun;
  });
});

it.each([
  ['moved', 'the timer was moved or cancelled during its call'],
  ['stopping', 'the process is stopping'],
] as const)('a call that is aborted since it is %s reads why', (why, message) => {
  expect(new CallAborted(why)).toMatchObject({ why, message, name: 'CallAborted' });
});
