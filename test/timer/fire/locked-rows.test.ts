import type { PoolClient } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type EngineUnderTest, makeEngine, NOW_MS } from '../../support/engine/timer-engine.ts';

let under: EngineUnderTest;
let holder: PoolClient;
beforeEach(async () => {
  under = await makeEngine();
  holder = await under.pool.connect();
  await holder.query('begin');
});
afterEach(async () => {
  await holder.query('rollback');
  holder.release();
  await under.dispose();
});

const subjects = ['a', 'b', 'c', 'd', 'e'];
/** Another transaction has the rows of b and d. */
const hold = () =>
  holder.query(`select from kibble.timer_due d join kibble.timer t using (id)
    where t.subject in ('b', 'd') for update of d`);
const states = async (): Promise<string> => {
  const timers = await under.timers.find(subjects.map((subject) => ({ kind: 'order', subject })));
  return timers.map((timer) => timer?.state).join(' ');
};

it('the outcomes of calls that end together do not wait for a row that another transaction has', async () => {
  const [answer, saves] = [Promise.withResolvers<string>(), vi.spyOn(under.store, 'save')];
  const call = vi.fn(() => answer.promise);
  under.engine.register({ kind: 'order', call });
  await under.engine.runDue();
  await under.timers.schedule(subjects.map((subject) => ({ kind: 'order', subject, owner: subject, dueAtMs: NOW_MS })));
  const done = under.engine.runDue();
  await expect.poll(() => call.mock.calls.length).toBe(5);
  await hold();
  answer.resolve('paid');
  await expect.poll(states).toBe('completed scheduled completed scheduled completed');
  await holder.query('rollback');
  // All together, then each by itself; the held ones again when half a second has passed.
  await expect.poll(() => saves.mock.calls.length).toBe(6);
  await Promise.allSettled(saves.mock.results.map(({ value }) => value));
  under.clock.advance(500);
  await done;
  expect(await states()).toBe('completed completed completed completed completed');
  expect(call).toHaveBeenCalledTimes(5);
});

it('of calls at the same time only the one fails whose timer another transaction has', async () => {
  under.engine.register({ kind: 'order', call: async () => undefined });
  await under.engine.runDue();
  await under.timers.schedule(
    subjects.map((subject) => ({ kind: 'order', subject, owner: subject, dueAtMs: NOW_MS + 60_000 })),
  );
  await hold();
  const results = await Promise.allSettled(
    ['a', 'b', 'c'].map((subject) => under.timers.shift([{ kind: 'order', subject, byMs: 1000 }])),
  );
  expect(results).toMatchObject([
    { value: [{ outcome: 'applied' }] },
    { reason: { code: '55P03' } },
    { value: [{ outcome: 'applied' }] },
  ]);
});
