import { afterEach, beforeEach, expect, it } from 'vitest';
import { kindsOf } from '../../support/engine/kinds.ts';
import { type EngineUnderTest, makeEngine, NOW_MS } from '../../support/engine/timer-engine.ts';
import { endTimers } from '../../support/postgres/timer-database.ts';

let under: EngineUnderTest;
beforeEach(async () => {
  under = await makeEngine();
  await under.engine.runDue();
  await under.store.registerKinds(kindsOf('order'));
});
afterEach(() => under.dispose());

const key = (subject: string) => ({ kind: 'order', subject });
/** Schedules the timers and returns their ids. */
const schedule = async (subjects: readonly string[]) => {
  await under.timers.schedule(subjects.map((subject) => ({ ...key(subject), owner: 'ann', dueAtMs: NOW_MS + 60_000 })));
  return (await under.timers.find(subjects.map(key))).map((timer) => ({ timerId: timer?.id ?? '' }));
};

it('a call ends scheduled and dead timers together, or none', async () => {
  const [a] = await schedule(['a', 'dead']);
  await under.pool.query(endTimers('dead', "subject = 'dead'"));
  const holder = await under.pool.connect();
  await holder.query("begin; select from kibble.timer where subject = 'dead' for update");
  for (const target of [key('a'), a ?? key('a')]) {
    await expect(under.timers.cancel([target, key('dead')])).rejects.toMatchObject({ code: '55P03' });
    expect(await under.timers.find([key('a')])).toMatchObject([{ state: 'scheduled', revision: 1 }]);
  }
  await holder.query('rollback');
  holder.release();
  expect(await under.timers.complete([key('dead'), key('a')])).toMatchObject([
    { outcome: 'applied', timer: { state: 'completed', subject: 'dead', revision: 3 } },
    { outcome: 'applied', timer: { state: 'completed', subject: 'a' } },
  ]);
});

it('many dead timers take as few statements as one', async () => {
  const subjects = Array.from({ length: 30 }, (_, at) => `s${at}`);
  const keys = subjects.map(key);
  const ids = await schedule(subjects);
  const applied = subjects.map((subject) => ({ outcome: 'applied', timer: { subject } }));
  await under.pool.query(endTimers('dead', 'true'));
  let statements = 0;
  under.pool.on('acquire', () => {
    statements += 1;
  });
  for (const targets of [keys, ids]) {
    statements = 0;
    expect(await under.timers.revive(targets)).toMatchObject(applied);
    expect(statements).toBe(2);
    await under.pool.query(endTimers('dead', 'true'));
  }
  statements = 0;
  expect(await under.timers.cancel(keys)).toMatchObject(applied);
  expect(statements).toBe(1);
});

it('of two dead timers with one key, a call revives the first', async () => {
  const [old] = await schedule(['a']);
  await under.pool.query(endTimers('dead', 'true'));
  const [other] = await schedule(['a']);
  await under.pool.query(endTimers('dead', "t.state = 'scheduled'"));
  const outcomes = await under.timers.revive([other ?? key('a'), old ?? key('a')]);
  expect(outcomes).toMatchObject([{ outcome: 'applied', timer: { id: other?.timerId } }, { outcome: 'duplicate' }]);
});
