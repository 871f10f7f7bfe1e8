import { expect, it } from 'vitest';
import { FireTry, hookOf } from '../../../../server/timer/fire/fire-try.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { FireKind, HandlerTx } from '../../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../../server/timer/model/timer-store.ts';
import { makeTools, NOW_MS, timerOf, torn } from '../../../support/engine/firing-tools.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';

const tx = { query: async () => ({ rows: [] }) } as never;

/** A try of these timers with a handler. */
const trying = (fire: (...given: Parameters<FireKind['fire']>) => unknown, store: Partial<TimerStore> = {}) => {
  const made = makeTools(store);
  const kind: FireKind = { kind: 'order', fire: async (...given) => (await fire(...given)) as undefined };
  made.tools.kinds.register(kind);
  const attempt = new FireTry(made.tools, kind);
  const run = (...timers: readonly Timer[]) => attempt.fire(tx, { timers: [...timers], nowMs: NOW_MS } as never);
  return { ...made, attempt, run };
};

it('gives a handler the timers that are due, by due time and then by id; what it returns is their result', async () => {
  const seen: string[] = [];
  const { run } = trying((timers) => {
    seen.push(...timers.map(({ id }) => id));
    return new Map([['3', { gold: 5 }]]);
  });
  const early = timerOf('1', { fireAtMs: NOW_MS + 1 });
  const updates = await run(timerOf('11'), timerOf('9'), early, timerOf('3', { dueAtMs: NOW_MS - 5 }));
  expect(seen).toEqual(['3', '9', '11']);
  expect(updates).toMatchObject([
    { timerId: '3', state: 'completed', result: { gold: 5 } },
    { timerId: '9', state: 'completed' },
    { timerId: '11', state: 'completed' },
  ]);
});

it('calls no handler where nothing is due', async () => {
  let calls = 0;
  const { run } = trying(() => {
    calls += 1;
  });
  expect([await run(timerOf('1', { fireAtMs: NOW_MS + 1 })), calls]).toEqual([[], 0]);
});

it.each([undefined, null])('takes %s for no results', async (returned) => {
  const { run } = trying(() => returned);
  expect(await run(timerOf('1'))).toMatchObject([{ timerId: '1', state: 'completed' }]);
});

it.each([[{}], [{ get: 5 }], [7]])('refuses %j, which is no map of results', async (returned) => {
  const { run } = trying(() => returned);
  await expect(run(timerOf('1'))).rejects.toThrow('it returns a Map of results by timer id, or undefined');
});

it('runs what comes after the commit in order; what fails there is logged, and it is over when the handler returns', async () => {
  const ran: number[] = [];
  let own: HandlerTx | undefined;
  const { run, attempt, lines } = trying((_timers, handlerTx) => {
    own = handlerTx;
    handlerTx.afterCommit(() => void ran.push(1));
    handlerTx.afterCommit(() => {
      throw torn;
    });
    handlerTx.afterCommit(async () => void ran.push(2));
  });
  await run(timerOf('1'));
  expect(ran).toEqual([]);
  expect(() => own?.afterCommit(() => undefined)).toThrow(
    expect.objectContaining({
      code: 'transaction/over',
      message: 'the handler has returned: call afterCommit before that',
    }),
  );
  expect(await attempt.committed()).toEqual([]);
  expect(ran).toEqual([1, 2]);
  expect(lines).toMatchObject([{ level: 'error', kind: 'order', message: 'a handler failed after its commit' }]);
  expect((lines[0] as { err: unknown }).err).toMatchObject({ thrown: torn });
  expect(() => hookOf(7 as never)).toThrow(/^afterCommit refuses/);
});

it('waits for the calls in its transaction that the handler does not await', async () => {
  const held = Promise.withResolvers<void>();
  const { run } = trying((_timers, { timers }) => void timers.cancel([{ timerId: '99' }]), {
    change: async (changes) => {
      await held.promise;
      return changes.map(() => ({ outcome: 'not-found' }));
    },
  });
  let isOver = false;
  const running = run(timerOf('1')).then(() => {
    isOver = true;
  });
  await quiet();
  expect(isOver).toBe(false);
  held.resolve();
  await running;
});

it('warns of a call that failed in a handler that went on, also of one that is made after the commit', async () => {
  let own: HandlerTx | undefined;
  const { run, attempt, lines } = trying((_timers, handlerTx) => {
    own = handlerTx;
    void handlerTx.timers.cancel([{} as never]);
  });
  await run(timerOf('1'));
  expect(lines).toEqual([]);
  await attempt.committed();
  const line = { level: 'warn', kind: 'order', message: 'a call in its transaction failed in a handler that went on' };
  expect(lines).toMatchObject([line]);
  void own?.timers.cancel([{} as never]);
  await quiet();
  expect(lines).toMatchObject([line, line]);
});
