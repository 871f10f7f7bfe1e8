import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OptionsRefused } from '../../shared/options/options-refused.ts';
import { countOf } from '../support/engine/due-index.ts';
import { type EngineUnderTest, makeEngine, NOW_MS, recordEffects } from '../support/engine/timer-engine.ts';

let under: EngineUnderTest;
beforeEach(async () => {
  under = await makeEngine();
  under.engine.register({ kind: 'order', fire: recordEffects });
  await under.engine.runDue();
});
afterEach(() => under.dispose());

const order = (subject: string, delayMs = 1000) => ({
  kind: 'order',
  subject,
  owner: 'ann',
  dueAtMs: NOW_MS + delayMs,
});
const key = (subject: string) => ({ kind: 'order', subject });

it('joins a hundred concurrent calls in a few statements', async () => {
  const statements = vi.spyOn(under.store, 'schedule');
  const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => under.timers.schedule([order(`s${at}`)])));
  expect(answers.flat().map(({ outcome }) => outcome)).toEqual(Array(100).fill('applied'));
  expect(statements.mock.calls.length).toBeLessThan(5);
  expect(await countOf(under.index)).toBe(100);
});

it('fails only the call whose data Postgres refuses, of those that share a statement', async () => {
  const { schedule } = under.store;
  vi.spyOn(under.store, 'schedule').mockImplementation(async (timers, tx) => {
    if (timers.some(({ subject }) => subject === 'bad')) throw Object.assign(new Error('no text'), { code: '22P05' });
    return schedule.call(under.store, timers, tx);
  });
  const good = under.timers.schedule([order('good')]);
  const bad = under.timers.schedule([order('bad')]);
  await expect(bad).rejects.toMatchObject({ code: '22P05' });
  expect((await good)[0]?.outcome).toBe('applied');
});

it('adds up a hundred concurrent shifts of one timer', async () => {
  await under.timers.schedule([order('a', 1000)]);
  await Promise.all(Array.from({ length: 100 }, (_, at) => under.timers.shift([{ ...key('a'), byMs: at }])));
  expect((await under.timers.find([key('a')]))[0]?.dueAtMs).toBe(NOW_MS + 1000 + 4950);
  expect((await under.index.orders.listByOwner('ann'))[0]?.fireAtMs).toBe(NOW_MS + 1000 + 4950);
});

it('lets calls pass by one that waits for a row that somebody has locked', async () => {
  await under.timers.schedule([order('locked'), order('free')]);
  const holder = await under.pool.connect();
  await holder.query('begin');
  await under.timers.within(holder).cancel([key('locked')]);
  const statements = vi.spyOn(under.store, 'change');
  const stuck = under.timers.shift([{ ...key('locked'), byMs: 1 }]);
  await vi.waitFor(() => expect(statements).toHaveBeenCalled());
  const passing = under.timers.shift([{ ...key('free'), byMs: 1 }]);
  under.clock.advance(100);
  expect((await passing)[0]?.outcome).toBe('applied');
  await holder.query('rollback');
  holder.release();
  expect((await stuck)[0]?.outcome).toBe('applied');
});

it('fires a timer at once that was shifted to before now, and answers already-fired from then on', async () => {
  await under.timers.schedule([order('a', 7_200_000)]);
  await under.timers.shift([{ ...key('a'), byMs: -10_000_000 }]);
  await under.engine.runDue();
  const outcomes = await under.timers.shift([{ ...key('a'), byMs: 1 }]);
  expect(outcomes).toEqual([{ outcome: 'already-fired' }]);
});

it('does not fire what was cancelled', async () => {
  await under.timers.schedule([order('a', 0), order('b', 0), order('c', 0)]);
  await under.timers.cancel([key('a')]);
  await under.timers.cancelByOwner(['ann']);
  await under.engine.runDue();
  expect((await under.pool.query('select from effect')).rowCount).toBe(0);
  expect(await countOf(under.index)).toBe(0);
});

it('tells the index of a transaction after its commit, and of none that rolls back', async () => {
  await under.timers.transaction(async (timers) => {
    await timers.schedule([order('a')]);
    expect(await countOf(under.index)).toBe(0);
  });
  expect(await countOf(under.index)).toBe(1);
  const failing = under.timers.transaction(async (timers) => {
    await timers.schedule([order('b')]);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await countOf(under.index)).toBe(1);
});

it('tells in a transaction when it began, and from a write on the time under the lock of its timer', async () => {
  await under.timers.schedule([order('a')]);
  const times = await under.timers.transaction(async (timers) => {
    const began = timers.nowMs;
    under.clock.advance(700);
    const waited = timers.nowMs;
    await timers.shift([{ ...key('a'), byMs: 0 }]);
    return [began, waited, timers.nowMs];
  });
  expect(times).toEqual([NOW_MS, NOW_MS, NOW_MS + 700]);
});

it('writes inside the transaction of a caller, who tells the index afterwards', async () => {
  const client = await under.pool.connect();
  await client.query('begin');
  const timers = under.timers.within(client);
  await timers.schedule([order('a')]);
  await client.query('commit');
  client.release();
  expect(await countOf(under.index)).toBe(0);
  await timers.afterCommit();
  expect(await countOf(under.index)).toBe(1);
});

it('refuses an instant that is no whole number of milliseconds, and a name with NUL', async () => {
  await expect(under.timers.schedule([order('a', 0.5)])).rejects.toThrow(OptionsRefused);
  await expect(under.timers.schedule([order('a\0')])).rejects.toThrow(OptionsRefused);
  await expect(under.timers.shift([{ ...key('a'), byMs: Number.NaN }])).rejects.toThrow(OptionsRefused);
});
