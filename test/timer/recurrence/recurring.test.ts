import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { again } from '../../../server/timer/fire/again.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { CalledTimer, CallKind, FiredTimer, FireKind, HandlerTx } from '../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { sabotaged } from '../../support/engine/sabotaged.ts';
import { makeEngine, makeMemoryEngine, NOW_MS } from '../../support/engine/timer-engine.ts';

const HOUR_MS = 3_600_000;
const every = { ms: HOUR_MS };
const key = { kind: 'order', subject: 'a' };
const hourly = { ...key, owner: 'ann', dueAtMs: NOW_MS + HOUR_MS, payload: { gold: 1 }, every };

describe.each([
  ['Postgres', makeEngine],
  ['memory', makeMemoryEngine],
])('on the store in %s', (_name, make) => {
  let under: Omit<Awaited<ReturnType<typeof makeMemoryEngine>>, 'store'>;
  beforeEach(async () => {
    under = await make();
    await under.engine.runDue();
  });
  afterEach(() => under.dispose());

  const find = async (): Promise<Timer> => {
    const [timer] = await under.timers.find([key]);
    if (timer === undefined) throw new Error('no timer');
    return timer;
  };
  const pass = async (ms: number): Promise<void> => {
    under.clock.advance(ms);
    await under.engine.runDue();
  };

  /** A kind that records what it was given, and what it was told. */
  const fires = (more: Partial<FireKind> = {}, work?: (tx: HandlerTx, timers: readonly FiredTimer[]) => unknown) => {
    const fired: FiredTimer[] = [];
    under.engine.register({
      kind: 'order',
      ...more,
      fire: async (timers, tx) => {
        fired.push(...timers);
        await work?.(tx, timers);
        return new Map(timers.map(({ id }) => [id, 'done']));
      },
    });
    return fired;
  };
  const calls = (more: Partial<CallKind>, call: (timer: CalledTimer) => unknown) =>
    under.engine.register({ kind: 'order', ...more, call: async (timer) => call(timer) });

  const dueHoursOf = (fired: readonly Timer[]) =>
    fired.map(({ turn, dueAtMs }) => [turn, (dueAtMs - NOW_MS) / HOUR_MS]);

  describe('a recurrence', () => {
    it('comes again by itself, counted from the due time, as the same row with the next turn', async () => {
      const fired = fires();
      const [scheduled] = await under.timers.schedule([hourly]);
      for (let round = 1; round <= 3; round += 1) await pass(HOUR_MS + 7);
      expect(dueHoursOf(fired)).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ]);
      expect(await find()).toMatchObject({
        turn: 4,
        dueAtMs: NOW_MS + 4 * HOUR_MS,
        payload: { gold: 1 },
        result: undefined,
      });
      if (scheduled?.outcome === 'applied') expect((await find()).id).toBe(scheduled.timer.id);
      expect(await under.index.orders.listByOwner('ann')).toMatchObject([{ fireAtMs: NOW_MS + 4 * HOUR_MS }]);
    });

    it('ends after its last turn, completed with the result of that', async () => {
      const fired = fires();
      await under.timers.schedule([{ ...hourly, every: { ...every, times: 2 } }]);
      for (let round = 1; round <= 3; round += 1) await pass(HOUR_MS);
      expect(fired).toHaveLength(2);
      expect(await find()).toMatchObject({ state: 'completed', turn: 2, result: 'done' });
    });

    it('by the calendar is first due at its next time, also in a transaction', async () => {
      const cron = { expression: '30 * * * *', timeZone: 'Asia/Kolkata' };
      const { dueAtMs: _, every: __, ...timer } = hourly;
      fires();
      await under.timers.transaction(async (timers) => void (await timers.schedule([{ ...timer, cron }])));
      const halfPastMs = Math.ceil(NOW_MS / HOUR_MS) * HOUR_MS;
      expect((await find()).dueAtMs).toBe(halfPastMs);
      await pass(halfPastMs - NOW_MS);
      expect(await find()).toMatchObject({ turn: 2, dueAtMs: halfPastMs + HOUR_MS, recurrence: { cron } });
    });

    it('that cannot work is refused, and nothing of the call is written', async () => {
      const bad = { ...hourly, subject: 'b', every: { ms: 0 } };
      await expect(under.timers.schedule([hourly, bad])).rejects.toMatchObject({ code: 'timer/bad-interval' });
      expect(await under.timers.find([key])).toEqual([undefined]);
    });

    it('does not count against what the handler asks for, and goes on from there', async () => {
      const outcomes: string[] = [];
      fires({}, async (tx, [timer]) => {
        if (timer?.turn !== 1) return;
        const answers = await tx.timers.schedule([
          { ...timer, dueAtMs: timer.dueAtMs + 5 },
          { ...timer, dueAtMs: 0 },
        ]);
        outcomes.push(...answers.map(({ outcome }) => outcome));
      });
      await under.timers.schedule([hourly]);
      await pass(HOUR_MS);
      expect(outcomes).toEqual(['applied', 'duplicate']);
      expect(await find()).toMatchObject({ turn: 2, dueAtMs: NOW_MS + HOUR_MS + 5 });
      await pass(5);
      expect(await find()).toMatchObject({ turn: 3, dueAtMs: NOW_MS + 2 * HOUR_MS + 5 });
    });

    it('comes once where it is to come once in all', async () => {
      const fired = fires();
      await under.timers.schedule([{ ...hourly, every: { ms: HOUR_MS, times: 1 } }]);
      await pass(HOUR_MS);
      expect(fired).toHaveLength(1);
      expect(await find()).toMatchObject({ state: 'completed', turn: 1, recurrence: undefined });
    });

    it('is the handler’s to move or to end, not to change', async () => {
      const refused: unknown[] = [];
      fires({}, async (tx, [timer]) => {
        if (timer?.turn === 1) await tx.timers.shift([{ ...key, byMs: -60_000 }]);
        if (timer?.turn !== 2) return;
        await tx.timers.schedule([{ ...timer, every: { ms: 2 * HOUR_MS } }]).catch((error) => refused.push(error));
        await tx.timers.cancel([key]);
      });
      await under.timers.schedule([hourly]);
      await pass(HOUR_MS);
      expect(await find()).toMatchObject({ turn: 2, dueAtMs: NOW_MS + 2 * HOUR_MS - 60_000 });
      await pass(HOUR_MS);
      expect(refused).toEqual([expect.any(OptionsRefused)]);
      expect(await find()).toMatchObject({ state: 'completed', turn: 2, result: 'done' });
    });

    it('ends by a cancel from outside, and moves with its coming turn', async () => {
      const fired = fires();
      await under.timers.schedule([hourly]);
      await under.timers.shift([{ ...key, byMs: 60_000 }]);
      await pass(HOUR_MS + 60_000);
      expect(await find()).toMatchObject({ turn: 2, dueAtMs: NOW_MS + 2 * HOUR_MS + 60_000 });
      expect((await under.timers.cancel([key]))[0]?.outcome).toBe('applied');
      await pass(2 * HOUR_MS);
      expect(fired).toHaveLength(1);
    });

    it('rests with a dead turn, and a revival goes on from that', async () => {
      let isBroken = true;
      const fired = fires({ retryDelaysMs: [] }, async () => {
        if (isBroken) throw new Error('broken');
      });
      await under.timers.schedule([hourly]);
      await pass(HOUR_MS);
      expect(await find()).toMatchObject({ state: 'dead', turn: 1 });
      await pass(5 * HOUR_MS);
      expect(fired).toHaveLength(1);
      isBroken = false;
      await under.timers.revive([key]);
      await under.engine.runDue();
      expect(dueHoursOf(fired.slice(1))).toEqual([
        [1, 1],
        [6, 6],
      ]);
      expect(fired.at(-1)?.missed).toBe(4);
      expect(await find()).toMatchObject({ state: 'scheduled', turn: 7, dueAtMs: NOW_MS + 7 * HOUR_MS });
    });

    it('brings a call again with the next key; put off by the call, a turn is none of its times', async () => {
      const keys: string[] = [];
      calls({}, ({ id, turn, dueAtMs, idempotencyKey }) => {
        keys.push(idempotencyKey.slice(id.length));
        return turn === 2 ? again(dueAtMs + 1) : 'sent';
      });
      await under.timers.schedule([{ ...hourly, every: { ...every, times: 4 } }]);
      for (let round = 1; round <= 5; round += 1) await pass(HOUR_MS);
      await pass(1);
      expect(keys).toEqual([':1', ':2', ':3', ':4', ':5']);
      expect(await find()).toMatchObject({
        state: 'completed',
        turn: 5,
        result: 'sent',
        dueAtMs: NOW_MS + 4 * HOUR_MS + 1,
      });
    });
  });

  describe('a timer that comes late', () => {
    const { every: _, ...once } = hourly;

    it('is skipped where its kind says so: completed, and the result says why', async () => {
      const fired = fires({ misfire: { late: 'skip', afterMs: 1000 } });
      await under.timers.schedule([once, { ...once, subject: 'punctual', dueAtMs: NOW_MS + HOUR_MS + 2001 }]);
      await pass(HOUR_MS + 1001);
      expect(await find()).toMatchObject({
        state: 'completed',
        turn: 1,
        result: { misfired: true, lateMs: 1001, missed: 0 },
      });
      await pass(1000);
      expect(fired).toMatchObject([{ subject: 'punctual', isMisfire: false, lateMs: 0, missed: 0 }]);
      expect(under.events).toContainEqual({ type: 'misfired', kind: 'order', skipped: 1, handed: 0, missed: 0 });
    });

    it('is handed over as a misfire where its row says so, the same in every attempt', async () => {
      const fired = fires({ misfire: { late: 'skip' }, retryDelaysMs: [5000, 5000] }, (_tx, [timer]) => {
        if ((timer?.attempt ?? 2) < 2) throw new Error('not yet');
      });
      await under.timers.schedule([{ ...once, misfire: { late: 'hand' } }]);
      await pass(2 * HOUR_MS);
      await pass(5000);
      await pass(5000);
      const late = { isMisfire: true, lateMs: HOUR_MS, missed: 0 };
      expect(fired).toMatchObject([
        { ...late, attempt: 0 },
        { ...late, attempt: 1 },
        { ...late, attempt: 2 },
      ]);
      expect(await find()).toMatchObject({ state: 'completed', result: 'done' });
    });

    it('is dead where that is asked for, and a revival fires it', async () => {
      const fired = fires({ misfire: { late: 'dead' } });
      await under.timers.schedule([once]);
      await pass(2 * HOUR_MS);
      expect(await find()).toMatchObject({
        state: 'dead',
        attempt: 1,
        lastError: expect.stringContaining(`${HOUR_MS} ms late`),
      });
      expect(await under.timers.listDead(['order'])).toMatchObject([key]);
      expect(under.events).toContainEqual(expect.objectContaining({ type: 'dead' }));
      await pass(HOUR_MS);
      await under.timers.revive([key]);
      await under.engine.runDue();
      expect(fired).toMatchObject([{ isMisfire: true, lateMs: HOUR_MS }]);
    });

    it('is not late because an attempt failed', async () => {
      const fired = fires({ misfire: { late: 'skip', afterMs: 1000 }, retryDelaysMs: [HOUR_MS] }, (_tx, [timer]) => {
        if (timer?.attempt === 0) throw new Error('not yet');
      });
      await under.timers.schedule([once]);
      await pass(HOUR_MS);
      await pass(HOUR_MS);
      expect(fired).toHaveLength(2);
      expect(await find()).toMatchObject({ state: 'completed', result: 'done' });
    });

    it('is called for with the same key and the same facts in every attempt', async () => {
      const seen: unknown[] = [];
      calls(
        { misfire: { late: 'hand' }, retryDelaysMs: [5000] },
        ({ idempotencyKey, id, isMisfire, lateMs, missed, attempt }) => {
          seen.push([idempotencyKey.slice(id.length), isMisfire, lateMs, missed]);
          if (attempt === 0) throw new Error('not yet');
        },
      );
      await under.timers.schedule([hourly]);
      await pass(3.5 * HOUR_MS);
      await pass(5000);
      expect(seen).toEqual([
        [':3', true, HOUR_MS / 2, 2],
        [':3', true, HOUR_MS / 2, 2],
      ]);
      expect(await find()).toMatchObject({
        turn: 4,
        dueAtMs: NOW_MS + 4 * HOUR_MS,
        attempt: 0,
        lateness: undefined,
      });
    });
  });

  describe('of the turns that an outage of 2.5 hours took', () => {
    const outage = async (misfire: FireKind['misfire']) => {
      const fired = fires(misfire ? { misfire } : {});
      await under.timers.schedule([hourly]);
      await pass(3.5 * HOUR_MS);
      return fired;
    };

    it('the last one fires and counts the others', async () => {
      expect(await outage(undefined)).toMatchObject([
        { turn: 3, dueAtMs: NOW_MS + 3 * HOUR_MS, missed: 2, isMisfire: false },
      ]);
      expect(await find()).toMatchObject({ turn: 4, dueAtMs: NOW_MS + 4 * HOUR_MS });
    });

    it('all fire in order', async () => {
      expect(dueHoursOf(await outage({ missed: 'all' }))).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ]);
      expect(await find()).toMatchObject({ turn: 4 });
    });

    it('none fires, and the next one does in time; they are counted as turns', async () => {
      const fired = await outage({ missed: 'none' });
      expect(fired).toEqual([]);
      expect(await find()).toMatchObject({ state: 'scheduled', turn: 4, dueAtMs: NOW_MS + 4 * HOUR_MS });
      expect(await under.index.orders.listByOwner('ann')).toMatchObject([{ fireAtMs: NOW_MS + 4 * HOUR_MS }]);
      await pass(HOUR_MS / 2);
      expect(fired).toMatchObject([{ turn: 4, missed: 0, lateMs: 0 }]);
    });
  });
});

it('a recurrence drifts by nothing in a thousand rounds, however late each is', async () => {
  const { engine, timers, clock } = await makeMemoryEngine();
  const drifts: number[] = [];
  engine.register({
    kind: 'order',
    fire: async (all) => {
      for (const { turn, dueAtMs } of all) drifts.push(dueAtMs - NOW_MS - turn * HOUR_MS);
      return undefined;
    },
  });
  await timers.schedule([hourly]);
  for (let round = 1; round <= 1000; round += 1) {
    clock.advance(HOUR_MS + (round % 2 === 0 ? -900 : 900));
    await engine.runDue();
  }
  expect(drifts).toEqual(Array(1000).fill(0));
});

it('a judgement that cannot be saved holds up nothing else, and is made again soon', async () => {
  class Down extends Error {}
  let isDown = true;
  const { engine, timers, clock } = await makeMemoryEngine((store) =>
    sabotaged<TimerStore>(store, {
      isWorldFault: (error) => error instanceof Down,
      fire: (seen, work) => (isDown ? Promise.reject(new Down()) : store.fire(seen, work)),
    }),
  );
  const called: string[] = [];
  engine.register({ kind: 'order', misfire: { late: 'skip' }, fire: async () => undefined });
  engine.register({ kind: 'letter', call: async ({ subject }) => called.push(subject) });
  const { every: _, ...once } = hourly;
  await timers.schedule([once, { ...once, kind: 'letter' }]);
  clock.advance(3 * HOUR_MS);
  await engine.runDue();
  expect(called).toEqual(['a']);
  expect(await timers.find([key])).toMatchObject([{ state: 'scheduled', attempt: 0 }]);
  isDown = false;
  clock.advance(1000);
  await engine.runDue();
  expect(await timers.find([key])).toMatchObject([{ state: 'completed', result: { misfired: true } }]);
});
