import type { PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { OwnTransaction } from '../../../server/timer/write/timer-transaction.ts';
import { kindsOf } from '../../support/engine/kinds.ts';
import { type EngineUnderTest, makeEngine, NOW_MS } from '../../support/engine/timer-engine.ts';
import { endTimers } from '../../support/postgres/timer-database.ts';

let under: EngineUnderTest;
let holder: PoolClient;
beforeEach(async () => {
  under = await makeEngine();
  await under.engine.runDue();
  await under.store.registerKinds(kindsOf('order'));
  holder = await under.pool.connect();
  await holder.query('begin');
});
afterEach(async () => {
  await holder.query('rollback');
  holder.release();
  await under.dispose();
});

const MINUTE_MS = 60_000;
const YEARS_MS = 100 * 365 * 86_400_000;
const key = (subject: string) => ({ kind: 'order', subject });
const order = (subject: string) => ({ ...key(subject), owner: 'ann', dueAtMs: NOW_MS + MINUTE_MS });
const find = async (subject: string) => (await under.timers.find([key(subject)]))[0];
const schedule = async (subject: string): Promise<string> => {
  await under.timers.schedule([order(subject)]);
  return (await find(subject))?.id ?? '';
};
/** Another transaction has the timer's row. */
const hold = (subject: string) =>
  holder.query("select from kibble.timer where kind = 'order' and subject = $1 for update", [subject]);

describe('calls of one turn, of which one fails after others were written', () => {
  it('shift each timer once, whichever way it is named', async () => {
    const timerId = await schedule('a');
    await schedule('b');
    const [a, b] = await Promise.allSettled([
      under.timers.shift([{ timerId, byMs: 500 }]),
      under.timers.shift([{ ...key('b'), byMs: YEARS_MS }]),
    ]);
    expect(a).toMatchObject({ value: [{ outcome: 'applied', timer: { revision: 2 } }] });
    expect(b).toMatchObject({ reason: { code: 'options/invalid' } });
    expect(await find('a')).toMatchObject({ dueAtMs: NOW_MS + MINUTE_MS + 500, revision: 2 });
    expect(await under.index.orders.listByOwner('ann')).toMatchObject([
      { fireAtMs: NOW_MS + MINUTE_MS },
      { timerId, fireAtMs: NOW_MS + MINUTE_MS + 500 },
    ]);
  });

  it('shift a timer once for each call', async () => {
    await schedule('a');
    await schedule('b');
    const shift = (subject: string, byMs: number) => under.timers.shift([{ ...key(subject), byMs }]);
    await Promise.allSettled([shift('a', 500), shift('a', 30), shift('b', YEARS_MS)]);
    expect(await find('a')).toMatchObject({ dueAtMs: NOW_MS + MINUTE_MS + 530, revision: 3 });
  });

  it('answer a new timer with applied, not with its own duplicate', async () => {
    await schedule('known');
    const [a, b] = await Promise.allSettled([
      under.timers.schedule([order('a')]),
      under.timers.scheduleOrMove([{ ...key('b'), owner: 'ann', inMs: YEARS_MS }]),
    ]);
    expect(a).toMatchObject({ value: [{ outcome: 'applied' }] });
    expect(b).toMatchObject({ reason: { code: 'options/invalid' } });
    expect(await under.index.orders.listByOwner('ann')).toHaveLength(2);
  });

  it('keep their outcomes when another transaction has a dead timer of one call', async () => {
    await schedule('a');
    await schedule('b');
    await schedule('dead');
    await under.pool.query(endTimers('dead', "subject = 'dead'"));
    await hold('dead');
    const outcomes = await Promise.allSettled([
      under.timers.shift([{ ...key('a'), byMs: 500 }]),
      under.timers.cancel([key('b')]),
      under.timers.cancel([key('dead')]),
    ]);
    expect(outcomes).toMatchObject([
      { value: [{ outcome: 'applied' }] },
      { value: [{ outcome: 'applied' }] },
      { reason: { code: '55P03' } },
    ]);
    expect(await find('a')).toMatchObject({ dueAtMs: NOW_MS + MINUTE_MS + 500, revision: 2 });
  });

  it('end dead timers as well, beside others and many in a call', async () => {
    await schedule('a');
    for (const subject of ['b', 'c', 'd']) await schedule(subject);
    await under.pool.query(endTimers('dead', "subject <> 'a'"));
    const outcomes = await Promise.all([
      under.timers.cancel([key('a'), key('b'), key('none')]),
      under.timers.revive([key('c')]),
      under.timers.complete([key('d')]),
    ]);
    expect(outcomes.flat().map(({ outcome }) => outcome)).toEqual([
      'applied',
      'applied',
      'not-found',
      'applied',
      'applied',
    ]);
  });
});

it('a refused call has changed none of its timers', async () => {
  const timerId = await schedule('a');
  await schedule('b');
  const items = [
    { timerId, byMs: 500 },
    { ...key('b'), byMs: YEARS_MS },
  ];
  await expect(under.timers.shift(items)).rejects.toMatchObject({ code: 'options/invalid' });
  expect(await find('a')).toMatchObject({ dueAtMs: NOW_MS + MINUTE_MS, revision: 1 });
});

/** Until a session of this database waits for another one. */
const untilWaiting = async (): Promise<void> => {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await under.pool.query(waiting)).rowCount === 0);
};

/** Changes timers in a transaction that stays open until the returned function is called. */
const keepOpen = async (work: (timers: OwnTransaction) => Promise<unknown>): Promise<() => Promise<void>> => {
  const written = Promise.withResolvers<void>();
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const open = under.timers.transaction(async (timers) => {
    await work(timers);
    written.resolve();
    await end;
  });
  await written.promise;
  return () => {
    resolve();
    return open;
  };
};

describe('a call that waits for a transaction', () => {
  it.each<[string, () => Promise<unknown>, object]>([
    ['cancels', () => under.timers.cancel([key('a')]), { state: 'cancelled' }],
    [
      'shifts',
      () => under.timers.shift([{ ...key('a'), byMs: 500 }]),
      { state: 'scheduled', dueAtMs: NOW_MS + MINUTE_MS + 500 },
    ],
    ['pauses', () => under.timers.pause([key('a')]), { isPaused: true }],
  ])('%s the timer that got its key there', async (_does, call, then) => {
    const old = await schedule('a');
    const commit = await keepOpen(async (timers) => {
      await timers.cancel([key('a')]);
      await timers.schedule([order('a')]);
    });
    const called = call();
    await untilWaiting();
    await commit();
    const [outcome] = (await called) as [{ timer: Timer }];
    expect(outcome).toMatchObject({ outcome: 'applied', timer: then });
    expect(outcome.timer.id).not.toBe(old);
  });

  it('locks its timers in the order of their ids, whichever way they are named', async () => {
    const a = await schedule('a');
    const b = await schedule('b');
    const lock = 'select from kibble.timer_due where id = $1 for update';
    await holder.query(lock, [a]);
    const called = under.timers.shift([
      { timerId: b, byMs: 500 },
      { ...key('a'), byMs: 500 },
    ]);
    await untilWaiting();
    await holder.query(`${lock} nowait`, [b]);
    await holder.query('commit; begin');
    expect(await called).toMatchObject([{ outcome: 'applied' }, { outcome: 'applied' }]);
  });

  it('cancels a dead timer that was revived there', async () => {
    await schedule('a');
    await under.pool.query(endTimers('dead', "subject = 'a'"));
    const commit = await keepOpen((timers) => timers.revive([key('a')]));
    const called = under.timers.cancel([key('a')]);
    await untilWaiting();
    await commit();
    expect(await called).toMatchObject([{ outcome: 'applied', timer: { state: 'cancelled' } }]);
  });

  it('revives a dead timer that was revived there, and finds none that was cancelled there', async () => {
    for (const [how, expected] of [
      ['revive', { outcome: 'applied', timer: { state: 'scheduled' } }],
      ['cancel', { outcome: 'not-found' }],
    ] as const) {
      await schedule(how);
      await under.pool.query(endTimers('dead', `subject = '${how}'`));
      const commit = await keepOpen((timers) => timers[how]([key(how)]));
      const called = under.timers.revive([key(how)]);
      await untilWaiting();
      await commit();
      expect(await called).toMatchObject([expected]);
    }
  });

  it('says duplicate for a dead timer whose key was taken there', async () => {
    await schedule('a');
    await under.pool.query(endTimers('dead', "subject = 'a'"));
    const commit = await keepOpen((timers) => timers.schedule([order('a')]));
    const called = under.timers.revive([key('a')]);
    await untilWaiting();
    await commit();
    expect(await called).toEqual([{ outcome: 'duplicate' }]);
  });

  it('fails where it revives a timer whose key is not committed, on any pool', async () => {
    await schedule('a');
    await under.pool.query(endTimers('dead', "subject = 'a'"));
    await under.timers.within(holder).schedule([order('a')]);
    await expect(under.timers.revive([key('a')])).rejects.toMatchObject({ code: '55P03' });
  });

  it.each(['schedule', 'scheduleOrMove'] as const)(
    'fails alone where %s needs a key that is not committed, on any pool',
    async (call) => {
      await schedule('known');
      await under.timers.within(holder).schedule([order('a')]);
      const [a, b] = await Promise.allSettled([under.timers[call]([order('a')]), under.timers[call]([order('b')])]);
      expect(a).toMatchObject({ reason: { code: '55P03' } });
      expect(b).toMatchObject({ value: [{ outcome: 'applied' }] });
    },
  );

  it('waits once for a key that is not committed', async () => {
    await under.timers.within(holder).schedule([order('a')]);
    let statements = 0;
    under.pool.on('acquire', () => {
      statements += 1;
    });
    await expect(under.timers.scheduleOrMove([order('a')])).rejects.toMatchObject({ code: '55P03' });
    expect(statements).toBe(1);
  });
});
