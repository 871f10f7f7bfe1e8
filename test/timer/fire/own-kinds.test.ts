import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotRetryable } from '../../../server/timer/fire/not-retryable.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { countOf } from '../../support/engine/due-index.ts';
import { kindsOf } from '../../support/engine/kinds.ts';
import { type EngineUnderTest, makeEngine, NOW_MS, recordEffects } from '../../support/engine/timer-engine.ts';

let under: EngineUnderTest;
beforeEach(async () => {
  under = await makeEngine();
});
afterEach(() => under.dispose());

const order = (subject: string, delayMs = 1000, payload: unknown = {}) => ({
  kind: 'order',
  subject,
  owner: 'ann',
  dueAtMs: NOW_MS + delayMs,
  payload,
});
const key = (subject: string) => ({ kind: 'order', subject });
const effects = async (): Promise<string[]> =>
  (await under.pool.query('select timer from effect order by timer')).rows.map(({ timer }) => timer);
const find = async (subject: string): Promise<Timer> => {
  const [timer] = await under.timers.find([key(subject)]);
  if (timer === undefined) throw new Error(`no timer ${subject}`);
  return timer;
};

describe('a kind that fires in Postgres', () => {
  it('fires once, at its due time, and commits its effect with the state', async () => {
    under.engine.register({ kind: 'order', fire: recordEffects });
    const [scheduled] = await under.timers.schedule([order('a')]);
    under.clock.advance(999);
    await under.engine.runDue();
    expect(await effects()).toEqual([]);
    under.clock.advance(1);
    await under.engine.runDue();
    await under.engine.runDue();
    expect(scheduled).toMatchObject({ outcome: 'applied', timer: { id: (await effects())[0] } });
    expect(await effects()).toHaveLength(1);
    expect(await find('a')).toMatchObject({ state: 'completed', attempt: 0 });
  });

  it('keeps the results that the handler answers', async () => {
    under.engine.register({ kind: 'order', fire: async (timers) => new Map(timers.map(({ id }) => [id, { sum: 7 }])) });
    await under.timers.schedule([order('a', 0)]);
    await under.engine.runDue();
    expect(await find('a')).toMatchObject({ result: { sum: 7 } });
  });

  it('lets a poison timer hurt only itself', async () => {
    under.engine.register({
      kind: 'order',
      fire: async (timers, tx, nowMs) => {
        await recordEffects(timers, tx, nowMs);
        if (timers.some(({ subject }) => subject === 'order-7')) throw new Error('poison');
        return undefined;
      },
    });
    await under.timers.schedule(Array.from({ length: 20 }, (_, at) => order(`order-${at}`, 0)));
    await under.engine.runDue();
    expect(await effects()).toHaveLength(19);
    expect(await find('order-7')).toMatchObject({ state: 'scheduled', attempt: 1, lastError: 'Error: poison' });
    expect(await find('order-8')).toMatchObject({ state: 'completed', attempt: 0 });
  });

  it('tries again after 15, 15, 30, 180 s and so on, and is dead after the fifteenth retry', async () => {
    const delaysMs = [15, 15, 30, 180, 600, 1200, 1800, 1800, 1800, 3600, 10_800, 10_800, 10_800, 21_600, 21_600].map(
      (seconds) => 1000 * seconds,
    );
    const triedAtMs: number[] = [];
    under.engine.register({
      kind: 'order',
      fire: async (_timers, _tx, nowMs) => {
        triedAtMs.push(nowMs);
        throw new Error('no');
      },
    });
    await under.timers.schedule([order('a', 0)]);
    await under.engine.runDue();
    for (const delayMs of delaysMs) {
      under.clock.advance(delayMs - 1);
      await under.engine.runDue();
      under.clock.advance(1);
      await under.engine.runDue();
    }
    const waits = triedAtMs.slice(1).map((atMs, at) => atMs - (triedAtMs[at] ?? 0));
    expect(waits).toEqual(delaysMs);
    expect(await find('a')).toMatchObject({ state: 'dead', attempt: 16 });
    expect(await under.timers.listDead(['order'])).toHaveLength(1);
    under.clock.advance(10 ** 9);
    await under.engine.runDue();
    expect(triedAtMs).toHaveLength(16);
  });

  it('is dead at once when the handler says that trying again is of no use, and lives again when revived', async () => {
    let isBroken = true;
    under.engine.register({
      kind: 'order',
      fire: async (timers, tx, nowMs) => {
        if (isBroken) throw new NotRetryable('gone');
        return recordEffects(timers, tx, nowMs);
      },
    });
    await under.timers.schedule([order('a', 0)]);
    await under.engine.runDue();
    expect(await find('a')).toMatchObject({
      state: 'dead',
      attempt: 1,
      lastError: 'NotRetryable: gone (timer/not-retryable)',
    });
    isBroken = false;
    await under.timers.revive([key('a')]);
    await under.engine.runDue();
    expect(await find('a')).toMatchObject({ state: 'completed' });
  });

  it('does not count a fault of the world as an attempt, and tries again within a second', async () => {
    let faults = 2;
    under.engine.register({
      kind: 'order',
      fire: async (timers, tx, nowMs) => {
        faults -= 1;
        if (faults >= 0) await tx.query(`do $$ begin raise exception using errcode = '40P01'; end $$`);
        return recordEffects(timers, tx, nowMs);
      },
    });
    await under.timers.schedule([order('a', 0), order('b', 0)]);
    await under.engine.runDue();
    expect(await find('a')).toMatchObject({ state: 'scheduled', attempt: 0 });
    under.clock.advance(1000);
    await under.engine.runDue();
    under.clock.advance(1000);
    await under.engine.runDue();
    expect(await effects()).toHaveLength(2);
  });

  it('fires nothing that another transaction has moved meanwhile', async () => {
    under.engine.register({ kind: 'order', fire: recordEffects });
    await under.timers.schedule([order('a', 0)]);
    const { pool } = under;
    const client = await pool.connect();
    await client.query('begin');
    await client.query(
      `update kibble.timer_due set due_at = due_at + 5000, fire_at = fire_at + 5000, revision = revision + 1`,
    );
    await under.engine.runDue();
    await client.query('commit');
    client.release();
    expect(await effects()).toEqual([]);
    under.clock.advance(100);
    await under.engine.runDue();
    expect(await effects()).toEqual([]);
    under.clock.advance(4900);
    await under.engine.runDue();
    expect(await effects()).toHaveLength(1);
  });
});

describe('a kind that calls outside', () => {
  it('keeps the answer, and repeats what failed', async () => {
    let calls = 0;
    under.engine.register({
      kind: 'order',
      call: async (timer) => {
        calls += 1;
        if (calls === 1) throw new Error('503');
        return { sent: timer.subject };
      },
    });
    await under.timers.schedule([order('a', 0)]);
    await under.engine.runDue();
    expect(await find('a')).toMatchObject({ attempt: 1, lastError: 'Error: 503' });
    under.clock.advance(15_000);
    await under.engine.runDue();
    expect(await find('a')).toMatchObject({ state: 'completed', result: { sent: 'a' } });
  });

  it('takes a call that does not end in time as a failed attempt, and aborts its signal', async () => {
    const { clock, engine, timers } = under;
    let signal: AbortSignal | undefined;
    const called = new Promise<void>((resolve) => {
      engine.register({
        kind: 'order',
        timeoutMs: 3000,
        call: (_timer, given) => {
          signal = given;
          resolve();
          return new Promise(() => undefined);
        },
      });
    });
    await timers.schedule([order('a', 0)]);
    const running = engine.runDue();
    await called;
    clock.advance(3000);
    await running;
    expect(signal?.aborted).toBe(true);
    expect(await find('a')).toMatchObject({ attempt: 1, lastError: 'Error: no answer within 3000 ms' });
  });
});

describe('what is not for now', () => {
  it('comes again soon where no handler is known, uncounted', async () => {
    await under.store.registerKinds(kindsOf('order'));
    await under.timers.schedule([order('a', 0)]);
    await under.engine.runDue();
    expect(await find('a')).toMatchObject({ state: 'scheduled', attempt: 0, revision: 1 });
    under.engine.register({ kind: 'order', fire: recordEffects });
    under.clock.advance(19);
    await under.engine.runDue();
    expect(await effects()).toEqual([]);
    under.clock.advance(1);
    await under.engine.runDue();
    expect(await effects()).toHaveLength(1);
  });

  it('is kept while its kind is paused, and fires within five seconds after', async () => {
    under.engine.register({ kind: 'order', fire: recordEffects });
    await under.timers.pauseKind('order');
    await under.timers.schedule([order('a', 0)]);
    await under.engine.runDue();
    await under.engine.sweep();
    expect(await effects()).toEqual([]);
    await under.timers.resumeKind('order');
    under.clock.advance(5000);
    await under.engine.runDue();
    expect(await effects()).toHaveLength(1);
  });

  it('is put back when the index was too early, and fires at its time', async () => {
    under.engine.register({ kind: 'order', fire: recordEffects });
    await under.timers.schedule([order('a', 60_000)]);
    const { id } = await find('a');
    await under.index.orders.put([{ timerId: id, owner: 'ann', fireAtMs: NOW_MS - 5, revision: 1 }]);
    await under.engine.runDue();
    expect(await effects()).toEqual([]);
    expect(await under.index.orders.listByOwner('ann')).toMatchObject([{ timerId: id, fireAtMs: NOW_MS + 60_000 }]);
    under.clock.advance(60_000);
    await under.engine.runDue();
    expect(await effects()).toEqual([id]);
  });

  it('fires by the sweep when the index has lost it', async () => {
    under.engine.register({ kind: 'order', fire: recordEffects });
    await under.timers.schedule([order('a', 0)]);
    under.index.clear();
    expect(await under.engine.sweep()).toBe(1);
    expect(await effects()).toHaveLength(1);
    expect(await under.engine.sweep()).toBe(0);
  });

  it('is back in the index after the index was emptied', async () => {
    under.engine.register({ kind: 'order', fire: recordEffects });
    await under.timers.schedule(Array.from({ length: 50 }, (_, at) => order(`s${at}`, 1000 + at)));
    await under.engine.runDue();
    under.index.clear();
    await under.engine.runDue();
    expect(await countOf(under.index)).toBe(50);
    under.clock.advance(2000);
    await under.engine.runDue();
    expect(await effects()).toHaveLength(50);
    expect(under.events).not.toContainEqual(expect.objectContaining({ type: 'swept' }));
  });
});
