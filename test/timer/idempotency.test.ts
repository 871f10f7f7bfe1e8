import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import { Database } from '../../server/adapter/postgres/database.ts';
import { createPool } from '../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import { isWorldFault } from '../../server/adapter/postgres/world-fault.ts';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { OptionsRefused } from '../../shared/options/options-refused.ts';
import { countOf } from '../support/engine/due-index.ts';
import { type EngineUnderTest, engineOn, makeEngine, NOW_MS } from '../support/engine/timer-engine.ts';
import { silentLog } from '../support/log/logs.ts';
import { type Fate, lossyCommits } from '../support/postgres/lossy-commits.ts';
import { createTimerDatabase } from '../support/postgres/timer-database.ts';

let under: EngineUnderTest;
beforeEach(async () => {
  under = await makeEngine();
  under.engine.register({ kind: 'order', fire: async () => undefined });
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
const dueInMs = async (subject: string) => ((await under.timers.find([key(subject)]))[0]?.dueAtMs ?? 0) - NOW_MS;

it('does a call once: shifts A, B, A again', async () => {
  await under.timers.schedule([order('a')]);
  const shift = (byMs: number, idempotencyKey: string) =>
    under.timers.shift([{ ...key('a'), byMs }], { idempotencyKey });
  const first = await shift(10, 'A');
  await shift(200, 'B');
  expect(await shift(10, 'A')).toEqual(JSON.parse(JSON.stringify(first)));
  expect(await dueInMs('a')).toBe(1210);
});

it('does nothing under a key that stands for another call', async () => {
  await under.timers.schedule([order('a')], { idempotencyKey: 'k' });
  const options = { idempotencyKey: 'k' };
  expect(await under.timers.schedule([order('a'), order('b')], options)).toEqual([
    { outcome: 'reused' },
    { outcome: 'reused' },
  ]);
  expect(await under.timers.scheduleOrMove([order('a')], options)).toEqual([{ outcome: 'reused' }]);
  expect(await under.timers.cancel([key('a')], options)).toEqual([{ outcome: 'reused' }]);
  await expect(under.timers.cancelByOwner(['ann'], options)).rejects.toMatchObject({ code: 'key/reused' });
  expect((await under.timers.listByOwner('ann')).map(({ subject }) => subject)).toEqual(['a']);
});

it('does a call with a row once, whatever the row has become meanwhile', async () => {
  await under.timers.schedule([order('a')]);
  const moved = async () => {
    const [row] = await under.timers.find([key('a')]);
    return under.timers.scheduleOrMove([{ ...row, ...order('a', 5000) }], { idempotencyKey: 'k' });
  };
  const first = await moved();
  expect(first).toMatchObject([{ outcome: 'moved', timer: { revision: 2 } }]);
  expect(await moved()).toEqual(JSON.parse(JSON.stringify(first)));
  expect(await under.timers.find([key('a')])).toMatchObject([{ revision: 2 }]);
});

it('leaves no key behind when it refuses a call in a transaction that goes on', async () => {
  const options = { idempotencyKey: 'season' };
  const over = { ...order('a'), cron: { expression: '0 0 * * *', timeZone: 'UTC', untilMs: NOW_MS - 1 } };
  const outcomes = await under.timers.transaction(async ({ schedule }) => {
    await expect(schedule([over], options)).rejects.toThrow(OptionsRefused);
    return schedule([order('a')], options);
  });
  expect(outcomes).toMatchObject([{ outcome: 'applied' }]);
});

it.each([
  ['reschedule', () => under.timers.reschedule([{ ...key('a'), inMs: 5 }], { idempotencyKey: 'k' })],
  ['fire now', () => under.timers.fireNow([key('a')], { idempotencyKey: 'k' })],
  ['pause', () => under.timers.pause([key('a')], { idempotencyKey: 'k' })],
  ['complete', () => under.timers.complete([{ ...key('a'), result: 1 }], { idempotencyKey: 'k' })],
  ['cancel', () => under.timers.cancel([key('a')], { idempotencyKey: 'k' })],
  ['shift by owner', () => under.timers.shiftByOwner(['ann'], 5, { kinds: ['order'], idempotencyKey: 'k' })],
  ['cancel by owner', () => under.timers.cancelByOwner(['ann'], { idempotencyKey: 'k' })],
])('returns the first answer of %s, and changes nothing again', async (_name, call) => {
  await under.timers.schedule([order('a')]);
  const first: unknown = JSON.parse(JSON.stringify(await call()));
  const [row] = await under.timers.find([key('a')]);
  under.clock.advance(100);
  expect(await call()).toEqual(first);
  expect(await under.timers.find([key('a')])).toEqual([row]);
});

it('returns the first answer of resume, and leaves paused what was paused again', async () => {
  await under.timers.schedule([order('a')]);
  await under.timers.pause([key('a')]);
  const resume = () => under.timers.resume([key('a')], { idempotencyKey: 'k' });
  const first: unknown = JSON.parse(JSON.stringify(await resume()));
  await under.timers.pause([key('a')]);
  expect(await resume()).toEqual(first);
  expect(await under.timers.find([key('a')])).toMatchObject([{ isPaused: true }]);
});

it('does a call once that many send at once', async () => {
  await under.timers.schedule([order('a')]);
  const calls = Array.from({ length: 8 }, () =>
    under.timers.shift([{ ...key('a'), byMs: 7 }], { idempotencyKey: 'k' }),
  );
  const [first, ...others] = await Promise.all(calls);
  for (const other of others) expect(other).toEqual(JSON.parse(JSON.stringify(first)));
  expect(await dueInMs('a')).toBe(1007);
});

it('counts in a transaction only with its commit, and has one key for all ways to call', async () => {
  const schedule = [order('a')];
  const options = { idempotencyKey: 'k' };
  const failing = under.timers.transaction(async (timers) => {
    await timers.schedule(schedule, options);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  const first = await under.timers.transaction((timers) => timers.schedule(schedule, options));
  expect(first).toMatchObject([{ outcome: 'applied' }]);
  expect(await countOf(under.index)).toBe(1);
  expect(await under.timers.schedule(schedule, options)).toEqual(JSON.parse(JSON.stringify(first)));
});

it('refuses a key that is empty or too long', async () => {
  for (const idempotencyKey of ['', 'x'.repeat(513)])
    await expect(under.timers.cancel([key('a')], { idempotencyKey })).rejects.toThrow(OptionsRefused);
});

it.each<Fate>(['swallow', 'cut'])(
  'makes a call harmless whose COMMIT was lost (%s): sent again it is done once',
  async (fate) => {
    const database = await createTimerDatabase(inject('postgresUrl'));
    let next: Fate = 'pass';
    const lossy = await lossyCommits(String(database.pool.options.connectionString), () => next);
    const pool = createPool({ url: lossy.url, max: 2, log: silentLog });
    const clock = new ManualClock(NOW_MS);
    const store = new PostgresTimerStore(new Database({ pool, schema: database.schema, nowMs: clock.nowMs }));
    const { timers, index, engine } = engineOn(store, clock, new MemoryDueIndex(clock));
    engine.register({ kind: 'order', fire: async () => undefined });
    await engine.runDue();
    await timers.schedule([order('a')]);
    const call = () => timers.shift([{ ...key('a'), byMs: 5000 }], { idempotencyKey: 'k' });
    next = fate;
    const lost = await call().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(isWorldFault(lost)).toBe(true);
    next = 'pass';
    expect(await call()).toMatchObject([{ outcome: 'applied', timer: { dueAtMs: NOW_MS + 6000, revision: 2 } }]);
    expect(lossy.commits[fate]).toBe(1);
    expect((await index.orders.listByOwner('ann'))[0]?.fireAtMs).toBe(NOW_MS + 6000);
    await pool.end();
    await lossy.stop();
    await database.dispose();
  },
);

it('does a call once where one transaction makes it twice at once', async () => {
  await under.timers.schedule([order('a')]);
  const shift = [{ ...key('a'), byMs: 10 }];
  const outcomes = await under.timers.transaction((tx) =>
    Promise.all([1, 2, 3].map(() => tx.shift(shift, { idempotencyKey: 'k' }))),
  );
  expect(await dueInMs('a')).toBe(1010);
  expect(await under.timers.shift(shift, { idempotencyKey: 'k' })).toEqual(JSON.parse(JSON.stringify(outcomes[0])));
  expect(JSON.parse(JSON.stringify(outcomes))).toEqual([1, 2, 3].map(() => JSON.parse(JSON.stringify(outcomes[0]))));
});
