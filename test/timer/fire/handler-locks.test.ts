import type { PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { Locked } from '../../../server/timer/model/timer-errors.ts';
import type { HandlerTx } from '../../../server/timer/model/timer-kind.ts';
import { kindsOf } from '../../support/engine/kinds.ts';
import { type EngineUnderTest, makeEngine, NOW_MS, recordEffects } from '../../support/engine/timer-engine.ts';
import { endTimers } from '../../support/postgres/timer-database.ts';

let under: EngineUnderTest;
let holder: PoolClient;
beforeEach(async () => {
  under = await makeEngine();
  await under.engine.runDue();
  holder = await under.pool.connect();
  await holder.query('begin');
  await under.store.registerKinds(kindsOf('target'));
});
afterEach(async () => {
  await holder.query('rollback');
  holder.release();
  await under.dispose();
});

const timer = (kind: string, subject: string, delayMs = 0) => ({
  kind,
  subject,
  owner: subject,
  dueAtMs: NOW_MS + delayMs,
});
const target = (subject: string) => ({ kind: 'target', subject });
const effects = async (): Promise<number> => (await under.pool.query('select from effect')).rowCount ?? 0;
const order = async (subject: string) => (await under.timers.find([{ kind: 'order', subject }]))[0];
/** Another transaction has the timer. */
const hold = (subject: string) =>
  holder.query(
    `with t as materialized (select id from kibble.timer where kind = 'target' and subject = $1 for update)
     select from kibble.timer_due where id in (select id from t) for update`,
    [subject],
  );

/** Each order works on the target of its own name. */
const registerOrders = (act: (tx: HandlerTx, subject: string) => Promise<unknown>): number[] => {
  const sizes: number[] = [];
  under.engine.register({
    kind: 'order',
    fire: async (timers, tx, nowMs) => {
      sizes.push(timers.length);
      // Waiting would end as a time-out of the statement, which is no `Locked`.
      await tx.query('set local lock_timeout = 0');
      await recordEffects(timers, tx, nowMs);
      for (const { subject } of timers) await act(tx, subject);
      return undefined;
    },
  });
  return sizes;
};

describe('a handler that wants a timer which another transaction has', () => {
  it.each<[string, (tx: HandlerTx, subject: string) => Promise<unknown>]>([
    ['reschedules', (tx, subject) => tx.timers.reschedule([{ ...target(subject), dueAtMs: NOW_MS + 9000 }])],
    ['shifts', (tx, subject) => tx.timers.shift([{ ...target(subject), byMs: 1 }])],
    ['cancels', (tx, subject) => tx.timers.cancel([target(subject)])],
    ['cancels by owner', (tx, subject) => tx.timers.cancelByOwner([subject])],
    ['wraps the error', (tx, subject) => wrapped(tx.timers.cancel([target(subject)]))],
  ])('and %s does not wait: nothing is kept or counted, and it comes again within 100 ms', async (_what, act) => {
    registerOrders(act);
    await under.timers.schedule([timer('target', 'a', 5000), timer('order', 'a')]);
    await hold('a');
    await under.engine.runDue();
    expect(await effects()).toBe(0);
    expect(await order('a')).toMatchObject({ state: 'scheduled', attempt: 0, revision: 1, turn: 1 });
    expect(under.events).toContainEqual({ type: 'requeued', reason: 'locked', count: 1 });
    const [entry] = (await under.index.orders.listByOwner('a')).filter(({ fireAtMs }) => fireAtMs < NOW_MS + 5000);
    expect(entry?.fireAtMs).toBe(NOW_MS + 10);
    under.clock.advance(10);
    await under.engine.runDue();
    under.clock.advance(100);
    await holder.query('rollback');
    await under.engine.runDue();
    expect(await effects()).toBe(1);
    expect(await order('a')).toMatchObject({ state: 'completed', attempt: 0 });
  });

  it('revives a dead one only when nobody has it', async () => {
    registerOrders((tx, subject) => tx.timers.revive([target(subject)]));
    await under.timers.schedule([timer('target', 'a', 5000), timer('order', 'a')]);
    await under.pool.query(endTimers('dead', "t.kind = 'target'"));
    await hold('a');
    await under.engine.runDue();
    expect(await order('a')).toMatchObject({ state: 'scheduled', attempt: 0 });
    await holder.query('rollback');
    under.clock.advance(10);
    await under.engine.runDue();
    expect(await order('a')).toMatchObject({ state: 'completed' });
    expect(await under.timers.find([target('a')])).toMatchObject([{ state: 'scheduled' }]);
  });

  it('takes no other along but once: the second time each goes alone, and none counts as poison', async () => {
    const sizes = registerOrders((tx, subject) => tx.timers.cancel([target(subject)]));
    const subjects = Array.from({ length: 8 }, (_, at) => `s${at}`);
    await under.timers.schedule(
      subjects.flatMap((subject) => [timer('target', subject, 5000), timer('order', subject)]),
    );
    await hold('s3');
    await under.engine.runDue();
    expect(sizes).toEqual([8]);
    under.clock.advance(10);
    await under.engine.runDue();
    expect(sizes).toEqual([8, ...Array(8).fill(1)]);
    expect(await effects()).toBe(7);
    expect(await order('s3')).toMatchObject({ state: 'scheduled', attempt: 0, revision: 1 });
    expect(under.events.filter(({ type }) => type === 'failed')).toEqual([]);
    // A timer that runs alone stays alone while the lock is held, also beside new ones.
    await under.timers.schedule([timer('target', 'new', 5000), timer('order', 'new')]);
    under.clock.advance(100);
    await under.engine.runDue();
    expect(await order('new')).toMatchObject({ state: 'completed' });
    await holder.query('rollback');
    under.clock.advance(100);
    await under.engine.runDue();
    expect(await effects()).toBe(9);
  });

  it('changes at once what nobody has, in one and in several statements', async () => {
    registerOrders(async (tx, subject) => {
      await tx.timers.shift([
        { ...target(subject), byMs: 1 },
        { ...target(subject), byMs: 2 },
      ]);
      await tx.timers.cancelByOwner(['b']);
    });
    await under.timers.schedule([timer('target', 'a', 5000), timer('target', 'b', 5000), timer('order', 'a')]);
    await under.engine.runDue();
    expect(await order('a')).toMatchObject({ state: 'completed' });
    expect(await under.timers.find([target('a')])).toMatchObject([{ dueAtMs: NOW_MS + 5003 }]);
    expect(await under.index.orders.listByOwner('b')).toEqual([]);
  });

  it('has what it throws itself for a lock of its own taken in the same way', async () => {
    let isMine = false;
    registerOrders(async () => {
      if (!isMine) throw new Locked('the hero is busy');
    });
    await under.timers.schedule([timer('order', 'a')]);
    await under.engine.runDue();
    expect(await order('a')).toMatchObject({ state: 'scheduled', attempt: 0, revision: 1 });
    isMine = true;
    under.clock.advance(10);
    await under.engine.runDue();
    expect(await order('a')).toMatchObject({ state: 'completed' });
  });
});

describe('from outside', () => {
  it('a change waits for the handler, and then moves the coming turn', async () => {
    const shifted: Promise<unknown>[] = [];
    under.engine.register({
      kind: 'order',
      fire: async ([own], tx) => {
        if (own?.turn !== 1) return undefined;
        await tx.timers.schedule([timer('order', 'a', 60_000)]);
        shifted.push(under.timers.shift([{ kind: 'order', subject: 'a', byMs: 500 }]));
        await untilWaiting(tx);
        return undefined;
      },
    });
    await under.timers.schedule([timer('order', 'a')]);
    await under.engine.runDue();
    expect(await Promise.all(shifted)).toMatchObject([[{ outcome: 'applied', timer: { turn: 2 } }]]);
    expect(await order('a')).toMatchObject({ dueAtMs: NOW_MS + 60_500, turn: 2, revision: 3 });
    expect(await under.index.orders.listByOwner('a')).toMatchObject([{ fireAtMs: NOW_MS + 60_500 }]);
  });
});

describe('a change of all timers of an owner, beside a handler that schedules the next one', () => {
  const calls: [string, (timers: EngineUnderTest['timers']) => Promise<readonly Timer[]>][] = [
    ['cancelByOwner', (timers) => timers.cancelByOwner(['ann'])],
    ['cancelByOwner once', (timers) => timers.cancelByOwner(['ann'], { idempotencyKey: 'ann is deleted' })],
    ['shiftByOwner', (timers) => timers.shiftByOwner(['ann'], 500)],
    ['shiftByOwner of a kind', (timers) => timers.shiftByOwner(['ann'], 500, { kinds: ['order'] })],
    ['cancelByOwner in a transaction', (timers) => timers.transaction((all) => all.cancelByOwner(['ann']))],
  ];
  it.each(calls)('%s misses none, and changes none twice', async (name, call) => {
    const changed: Promise<readonly Timer[]>[] = [];
    under.engine.register({
      kind: 'order',
      fire: async ([own], tx) => {
        if (own?.subject !== 'tick 1') return undefined;
        await tx.timers.schedule([{ ...timer('order', 'tick 2', 60_000), owner: 'ann' }]);
        changed.push(call(under.timers));
        await untilWaiting(tx);
        return undefined;
      },
    });
    const others = [timer('order', 'other', 5000), timer('order', 'tick 1')].map((one) => ({ ...one, owner: 'ann' }));
    await under.timers.schedule(others);
    await under.engine.runDue();
    const [timers = []] = await Promise.all(changed);
    expect(timers.map(({ subject }) => subject).sort()).toEqual(['other', 'tick 2']);
    const left = await under.index.orders.listByOwner('ann');
    const times = left.map(({ fireAtMs }) => fireAtMs).sort();
    expect(times).toEqual(name.startsWith('shift') ? [NOW_MS + 5500, NOW_MS + 60_500] : []);
  });
});

describe('a change of all timers of an owner, beside other calls of the same transaction', () => {
  const next = [{ ...timer('target', 'next', 60_000), owner: 'ann' }];
  type All = Pick<EngineUnderTest['timers'], 'schedule' | 'cancelByOwner' | 'shiftByOwner'>;
  const calls: [string, (all: All) => readonly Promise<unknown>[]][] = [
    ['cancelled, then scheduled', (all) => [all.cancelByOwner(['ann']), all.schedule(next)]],
    ['shifted, then scheduled', (all) => [all.shiftByOwner(['ann'], -90_000), all.schedule(next)]],
  ];
  it.each(calls)('a timer that is scheduled behind it is none of its timers: %s at once', async (name, call) => {
    await under.timers.schedule([{ ...timer('target', 'old', 5000), owner: 'ann' }]);
    await under.timers.transaction((all) => Promise.all(call(all)));
    const [old, coming] = await under.timers.find([target('old'), target('next')]);
    expect(coming).toMatchObject({ state: 'scheduled', dueAtMs: NOW_MS + 60_000 });
    expect(old?.dueAtMs).toBe(name.startsWith('shifted') ? NOW_MS - 85_000 : undefined);
  });
});

it('a transaction of the game that is rolled back leaves none of its calls, also of those that were sent at once', async () => {
  const client = await under.pool.connect();
  const timers = under.timers.within(client);
  await client.query('begin');
  const calls = [
    client.query('select 1/0'),
    ...['a', 'b', 'c'].map((subject) => timers.schedule([timer('target', subject)])),
    timers.cancelByOwner(['other']),
  ];
  await Promise.all(calls).catch(() => undefined);
  await client.query('rollback');
  await Promise.allSettled(calls);
  expect(await under.timers.find(['a', 'b', 'c'].map(target))).toEqual([undefined, undefined, undefined]);
  client.release();
});

/** Until a session waits for this one. Asks in the handler's own transaction, which must not be idle for long. */
const untilWaiting = async (tx: HandlerTx): Promise<void> => {
  const waiting = 'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';
  while ((await tx.query(waiting)).rowCount === 0);
};

const wrapped = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((cause: unknown) => Promise.reject(new Error('could not end the match', { cause })));
