import { expect, it } from 'vitest';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import type { IndexChanges } from '../../../server/timer/model/index-entry.ts';
import { TimerKinds } from '../../../server/timer/model/timer-kinds.ts';
import type { Tx } from '../../../server/timer/model/timer-store.ts';
import { timerTransaction } from '../../../server/timer/write/timer-transaction.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';

const NOW_MS = 1_790_000_000_000;
const order = { kind: 'order', subject: 'a', owner: 'ann', dueAtMs: NOW_MS };

const makeScene = () => {
  const store = new FakeTimerStore(new ManualClock(NOW_MS).nowMs);
  const kinds = new TimerKinds();
  kinds.register({ kind: 'order', fire: async () => undefined });
  const told: IndexChanges[] = [];
  const done = async () => undefined;
  const indexWriter = { publish: (changes: IndexChanges) => void told.push(changes), room: done, idle: done };
  const timersIn = (tx: Tx) => timerTransaction({ store, kinds, indexWriter }, tx);
  /** Ids of what the index was told: to put, and to remove. */
  const heard = () =>
    told.map(({ put, remove }) => [put, remove].map((entries) => entries.map(({ timerId }) => timerId)));
  return { store, timersIn, heard };
};

it('tells the index after the commit, once, of all that was written in it', async () => {
  const { store, timersIn, heard } = makeScene();
  const timers = await store.transaction(async (tx) => {
    const own = timersIn(tx);
    await own.schedule([order, { ...order, subject: 'b' }]);
    await own.cancelByOwner(['nobody']);
    await own.cancel([{ kind: 'order', subject: 'b' }]);
    return own;
  });
  expect(heard()).toEqual([]);
  await timers.afterCommit();
  expect(heard()).toEqual([[['1', '3'], ['3']]]);
});

it('tells it of what was cancelled by owner', async () => {
  const { store, timersIn, heard } = makeScene();
  await store.schedule([order]);
  const timers = await store.transaction(async (tx) => {
    const own = timersIn(tx);
    await own.cancelByOwner(['ann']);
    return own;
  });
  await timers.afterCommit();
  expect(heard()).toEqual([[[], ['1']]]);
});

it('tells it of nothing where nothing was written', async () => {
  const { store, timersIn, heard } = makeScene();
  const timers = await store.transaction(async (tx) => timersIn(tx));
  await timers.afterCommit();
  expect(heard()).toEqual([[[], []]]);
});

it('tells it again of a first result that may have been told to nobody', async () => {
  const { store, timersIn, heard } = makeScene();
  const schedule = (subject: string) =>
    store.transaction(async (tx) => {
      const own = timersIn(tx);
      await own.schedule([{ ...order, subject }], { idempotencyKey: 'k' });
      return own;
    });
  await schedule('a');
  await (await schedule('a')).afterCommit();
  expect(heard()).toEqual([[['1'], []]]);
  // Another call with this key did nothing.
  await (await schedule('b')).afterCommit();
  expect(heard()[1]).toEqual([[], []]);
});

it('tells it of as many timers as one call writes, and of those of a kind, batch after batch', async () => {
  const { store, timersIn, heard } = makeScene();
  const many = Array.from({ length: 2500 }, (_, at) => ({ ...order, subject: `s${at}` }));
  const timers = await store.transaction(async (tx) => {
    const own = timersIn(tx);
    expect(await own.schedule(many)).toHaveLength(2500);
    expect(await own.shiftByKind(['order'], 60_000)).toBe(2500);
    expect(await own.cancelByKind(['hint'])).toBe(0);
    return own;
  });
  await timers.afterCommit();
  expect(heard()[0]?.[0]).toHaveLength(5000);
});
