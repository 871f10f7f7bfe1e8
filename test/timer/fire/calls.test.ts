import { describe, expect, it } from 'vitest';
import { CallAborted } from '../../../server/timer/fire/running-call.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { CalledTimer, CallKind, FireKind } from '../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { countOf } from '../../support/engine/due-index.ts';
import { type LaneScene, laneScene, spread, workedByHand } from '../../support/engine/lane-scene.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';
import { recordedLog } from '../../support/log/logs.ts';

const STEP_MS = 25;
const TIMEOUT_MS = 3000;
const CLAIM_MS = TIMEOUT_MS + 5000;

/** A service that answers when it is told to. */
const service = (kind = 'refund') => {
  const asked: { timer: CalledTimer; signal: AbortSignal; answer: (result: unknown) => void }[] = [];
  const call: CallKind['call'] = (timer, signal) =>
    new Promise((resolve) => asked.push({ timer, signal, answer: resolve }));
  return { kind, call, timeoutMs: TIMEOUT_MS, asked };
};

const one = async ({ timers, nowMs, advance }: LaneScene): Promise<void> => {
  await timers.schedule(spread('refund', 1, { fromMs: nowMs }));
  await advance(STEP_MS);
};
const row = async ({ timers }: Pick<LaneScene, 'timers'>): Promise<Timer> => {
  const [timer] = await timers.find([{ kind: 'refund', subject: 'refund-0' }]);
  if (timer === undefined) throw new Error('no timer');
  return timer;
};

describe('a call', () => {
  it('has one idempotency key in all attempts: also after a time-out', async () => {
    const refund = service();
    const scene = await laneScene({ kinds: [refund] });
    await one(scene);
    await scene.advance(TIMEOUT_MS + 15_000 + 2 * STEP_MS);
    expect(refund.asked).toHaveLength(2);
    refund.asked[1]?.answer('paid');
    await scene.advance(STEP_MS);
    const { id, revision, state, attempt } = await row(scene);
    expect({ state, attempt }).toEqual({ state: 'completed', attempt: 1 });
    expect(revision).toBeGreaterThan(2);
    expect(refund.asked.map(({ timer }) => timer.idempotencyKey)).toEqual([`${id}:1`, `${id}:1`]);
  });

  it('is claimed in its row while it runs, and its delivery is acked', async () => {
    const refund = service();
    const scene = await laneScene({ kinds: [refund] });
    await one(scene);
    const { dueAtMs, fireAtMs, claims, revision, updatedAtMs } = await row(scene);
    expect({ dueAtMs, claims, revision, updatedAtMs }).toEqual({
      dueAtMs: scene.nowMs,
      claims: 1,
      revision: 2,
      updatedAtMs: scene.nowMs,
    });
    expect(fireAtMs - scene.nowMs).toBeGreaterThanOrEqual(CLAIM_MS);
    expect(fireAtMs - scene.nowMs).toBeLessThanOrEqual(CLAIM_MS + STEP_MS);
    expect(await scene.index.queue.oldestUnackedMs()).toEqual([0]);
    refund.asked[0]?.answer('paid');
    await scene.advance(STEP_MS);
    expect(await row(scene)).toMatchObject({ state: 'completed', claims: 0, result: 'paid' });
    expect(await countOf(scene.index)).toBe(0);
  });

  it('is late by the time before it, not by its own', async () => {
    const refund = service();
    const scene = await laneScene({ kinds: [refund] });
    await one(scene);
    await scene.advance(TIMEOUT_MS - 100);
    refund.asked[0]?.answer('paid');
    await scene.advance(STEP_MS);
    const fired = scene.events.flatMap((event) => (event.type === 'fired' ? event.nowMs - scene.nowMs : []));
    expect(fired).toEqual([expect.any(Number)]);
    expect(fired[0]).toBeLessThanOrEqual(STEP_MS);
  });

  it.each(['reschedule', 'cancel', 'cancel in a handler'] as const)(
    'whose timer is moved meanwhile by %s is aborted, and its answer dropped',
    async (how) => {
      const refund = service();
      const target = { kind: 'refund', subject: 'refund-0' };
      const paid: FireKind = {
        kind: 'paid',
        fire: async (_timers, tx) => {
          await tx.timers.cancel([target]);
          return undefined;
        },
      };
      const scene = await laneScene({ kinds: [refund, paid] });
      await one(scene);
      const { id } = await row(scene);
      if (how === 'cancel in a handler') {
        await scene.timers.schedule(spread('paid', 1, { fromMs: scene.nowMs }));
        await scene.advance(STEP_MS);
      } else if (how === 'cancel') await scene.timers.cancel([target]);
      else await scene.timers.reschedule([{ ...target, dueAtMs: scene.nowMs + 60_000 }]);
      const [first] = refund.asked;
      expect(first?.signal.reason).toBeInstanceOf(CallAborted);
      expect(first?.signal.reason).toMatchObject({ why: 'moved' });
      first?.answer('paid');
      await scene.advance(30_000);
      const [after] = await scene.timers.find([{ timerId: id }]);
      expect(after).toMatchObject(how !== 'reschedule' ? { state: 'cancelled' } : { state: 'scheduled', claims: 0 });
      expect(refund.asked).toHaveLength(1);
      const fired = scene.events.flatMap((event) => (event.type === 'fired' ? event.kind : []));
      expect(fired).toEqual(how === 'cancel in a handler' ? ['paid'] : []);
    },
  );

  it.each(['scheduleOrMove', 'setPayload'] as const)(
    'that is ordered anew by %s while it runs is made again with its new payload, under another key',
    async (how) => {
      const refund = service();
      const scene = await laneScene({ kinds: [refund] });
      await one(scene);
      const { id, owner } = await row(scene);
      const target = { kind: 'refund', subject: 'refund-0' };
      const payload = 'your castle is attacked';
      if (how === 'setPayload') await scene.timers.setPayload([{ ...target, payload }]);
      else await scene.timers.scheduleOrMove([{ ...target, owner, inMs: 0, payload }]);
      await scene.advance(STEP_MS);
      refund.asked[0]?.answer('the old order');
      refund.asked[1]?.answer('the new order');
      await scene.advance(STEP_MS);
      expect(refund.asked.map(({ timer }) => timer.idempotencyKey)).toEqual([`${id}:1`, `${id}:2`]);
      expect(refund.asked[1]?.timer.payload).toBe(payload);
      expect(await row(scene)).toMatchObject({ state: 'completed', payload, result: 'the new order' });
    },
  );

  it('that is moved without a payload while it runs is made again under the same key', async () => {
    const refund = service();
    const scene = await laneScene({ kinds: [refund] });
    await one(scene);
    const { id, owner } = await row(scene);
    await scene.timers.scheduleOrMove([{ kind: 'refund', subject: 'refund-0', owner, inMs: 0 }]);
    await scene.advance(STEP_MS);
    expect(refund.asked.map(({ timer }) => timer.idempotencyKey)).toEqual([`${id}:1`, `${id}:1`]);
  });

  it('that was moved by another process drops its answer, and is made again at its new time', async () => {
    const refund = service();
    const scene = await laneScene({ kinds: [refund] });
    await one(scene);
    const dueAtMs = scene.nowMs + 1000;
    const target = { kind: 'refund', subject: 'refund-0' };
    const [moved] = await scene.rows.change([{ target, change: 'reschedule', dueAtMs }]);
    const timer = moved?.outcome === 'applied' ? moved.timer : undefined;
    await scene.index.orders.put([
      { timerId: timer?.id ?? '', owner: timer?.owner ?? '', fireAtMs: dueAtMs, revision: 3 },
    ]);
    await scene.advance(1000);
    expect(refund.asked).toHaveLength(2);
    expect(refund.asked[0]?.signal.reason).toMatchObject({ why: 'moved' });
    refund.asked[0]?.answer('the old one');
    refund.asked[1]?.answer('the new one');
    await scene.advance(STEP_MS);
    expect(await row(scene)).toMatchObject({ state: 'completed', result: 'the new one' });
  });

  it('whose answer cannot be saved at first is not made again', async () => {
    let isAway = false;
    const refund = service();
    const away = new Error('Postgres is away');
    const faultyStore = (store: TimerStore): Partial<TimerStore> => ({
      isWorldFault: (error) => error === away,
      save: (updates) => (isAway ? Promise.reject(away) : store.save(updates)),
    });
    const scene = await laneScene({ kinds: [refund], faultyStore });
    await one(scene);
    isAway = true;
    refund.asked[0]?.answer('paid');
    await scene.advance(4000);
    isAway = false;
    await scene.advance(20_000);
    expect(await row(scene)).toMatchObject({ state: 'completed', result: 'paid' });
    expect(refund.asked).toHaveLength(1);
  });
});

describe('a process that is killed in a call', () => {
  /** The rows of a process that began a call and was heard of no more, so many times. */
  const killed = async (times: number, faultyStore?: (store: TimerStore) => Partial<TimerStore>) => {
    const clock = { nowMs: 1_790_000_000_000 };
    const rows = new FakeTimerStore(() => clock.nowMs);
    const dueAtMs = clock.nowMs;
    await rows.schedule(spread('refund', 1, { fromMs: dueAtMs }));
    const keys: string[] = [];
    let scene: LaneScene | undefined;
    const next = async (): Promise<LaneScene> => {
      const refund = service();
      scene = await laneScene({ kinds: [refund], rows, nowMs: clock.nowMs, ...(faultyStore && { faultyStore }) });
      for (let step = 0; step < 20; step += 1) {
        clock.nowMs += STEP_MS;
        await scene.advance(STEP_MS);
      }
      keys.push(...refund.asked.map(({ timer }) => timer.idempotencyKey));
      return scene;
    };
    for (let time = 0; time < times; time += 1) {
      await next();
      // The clock of a dead process does not move.
      clock.nowMs += CLAIM_MS;
    }
    return { rows, next, keys };
  };

  it('leaves a claim: the call is made again when that is over, with the same key, and is no attempt', async () => {
    const { rows, next, keys } = await killed(2);
    const [before] = await rows.find([{ kind: 'refund', subject: 'refund-0' }]);
    expect(before).toMatchObject({ state: 'scheduled', attempt: 0, claims: 2 });
    await next();
    expect(keys).toEqual([`${before?.id}:1`, `${before?.id}:1`, `${before?.id}:1`]);
  });

  it('is not made again before the claim is over', async () => {
    const { next, keys, rows } = await killed(0);
    await next();
    await next();
    expect(keys).toHaveLength(1);
    expect(await rows.find([{ kind: 'refund', subject: 'refund-0' }])).toMatchObject([{ claims: 1 }]);
  });

  it('but made at once where nothing is claimed: the planted fault', async () => {
    const claimsNothing = (store: TimerStore): Partial<TimerStore> => ({
      defer: async (deferrals) => {
        const { timers } = await store.read(deferrals.map(({ timerId }) => ({ timerId, owner: '' })));
        return { timers, nowMs: await store.nowMs() };
      },
    });
    const { next, keys } = await killed(0, claimsNothing);
    await next();
    await next();
    expect(keys.length).toBeGreaterThan(1);
  });

  it('six times has failed an attempt: the call may be what kills it', async () => {
    const { rows, next, keys } = await killed(6);
    await next();
    expect(keys).toHaveLength(6);
    const [timer] = await rows.find([{ kind: 'refund', subject: 'refund-0' }]);
    expect(timer).toMatchObject({ state: 'scheduled', attempt: 1, claims: 0 });
    expect(timer?.lastError).toMatch(/begun 6 times/);
  });
});

describe('an engine that stops', () => {
  it('waits for the calls that run, as long as it may', async () => {
    const refund = service();
    const scene = await laneScene({ kinds: [refund], drainMs: 2000 });
    await one(scene);
    const stopped = scene.engine.stop();
    await scene.advance(1000);
    refund.asked[0]?.answer('paid');
    await stopped;
    await scene.advance(5000);
    expect(refund.asked[0]?.signal.aborted).toBe(false);
    expect(await row(scene)).toMatchObject({ state: 'completed', result: 'paid' });
  });

  it('then aborts them: their claim stays, and that is no attempt', async () => {
    const refund = service();
    const scene = await laneScene({ kinds: [refund], drainMs: 2000 });
    await one(scene);
    const stopped = scene.engine.stop();
    await scene.advance(2000 + STEP_MS);
    await stopped;
    expect(refund.asked[0]?.signal.reason).toMatchObject({ why: 'stopping' });
    expect(await row(scene)).toMatchObject({ state: 'scheduled', attempt: 0, claims: 1, revision: 2 });
  });

  it('ends a second after that whatever still runs, and names its kind', async () => {
    const { log, codes } = recordedLog();
    const feast = workedByHand('feast');
    const scene = await laneScene({ kinds: [feast], log, drainMs: 500 });
    await scene.timers.schedule(spread('feast', 1, { fromMs: scene.nowMs }));
    await scene.advance(STEP_MS);
    const stopped = scene.engine.stop();
    await scene.advance(1475);
    expect([feast.turns.length, codes()]).toEqual([1, []]);
    await scene.advance(25);
    await stopped;
    expect(codes()).toEqual(['shutdown/unfinished']);
  });

  it('gives back at once what waits in a lane, for others to take', async () => {
    const refund = service();
    const scene = await laneScene({ kinds: [{ ...refund, atOnce: 1 }], drainMs: 60_000 });
    const { timers, nowMs, advance, index, engine } = scene;
    await timers.schedule(spread('refund', 5, { fromMs: nowMs }));
    await advance(STEP_MS);
    const stopped = engine.stop();
    await advance(STEP_MS);
    // Four that are due, and the claim of the one that is called for.
    const entries = await index.orders.between(0, 2 ** 42, 10);
    expect(entries.filter(({ fireAtMs }) => fireAtMs === nowMs)).toHaveLength(4);
    expect(await index.queue.oldestUnackedMs()).toEqual([0]);
    refund.asked[0]?.answer('paid');
    await stopped;
    expect(refund.asked).toHaveLength(1);
  });

  it('gives back a claim that was being made, uncounted', async () => {
    const claiming = Promise.withResolvers<void>();
    const refund = service();
    const faultyStore = (store: TimerStore): Partial<TimerStore> => ({
      defer: async (deferrals) => {
        const claimed = await store.defer(deferrals);
        await claiming.promise;
        return claimed;
      },
    });
    const scene = await laneScene({ kinds: [refund], faultyStore });
    await one(scene);
    const stopped = scene.engine.stop();
    await scene.advance(STEP_MS);
    claiming.resolve();
    await stopped;
    expect(refund.asked).toHaveLength(0);
    expect(await row(scene)).toMatchObject({ state: 'scheduled', claims: 0, attempt: 0 });
    expect((await row(scene)).fireAtMs).toBeLessThanOrEqual(scene.clock.nowMs());
  });
});
