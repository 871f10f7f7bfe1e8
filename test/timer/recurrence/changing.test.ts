import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { again } from '../../../server/timer/fire/again.ts';
import type { FiredTimer, HandlerTx } from '../../../server/timer/model/timer-kind.ts';
import { nextCronMs } from '../../../shared/calendar/cron-times.ts';
import { makeEngine, makeMemoryEngine, NOW_MS } from '../../support/engine/timer-engine.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const every = { ms: HOUR_MS };
const key = { kind: 'order', subject: 'a' };
const cron = { expression: '30 * * * *', timeZone: 'Asia/Kolkata' };

describe.each([
  ['Postgres', makeEngine],
  ['memory', makeMemoryEngine],
])('calls of a timer that comes again, on the store in %s', (_name, make) => {
  let under: Omit<Awaited<ReturnType<typeof makeMemoryEngine>>, 'store'>;
  let inHandler: (tx: HandlerTx, timers: readonly FiredTimer[]) => Promise<unknown>;
  let fired = 0;
  beforeEach(async () => {
    under = await make();
    inHandler = async () => undefined;
    fired = 0;
    under.engine.register({
      kind: 'order',
      fire: async (timers, tx) => {
        fired += 1;
        await inHandler(tx, timers);
      },
    });
    await under.engine.runDue();
  });
  afterEach(() => under.dispose());

  const find = async () => (await under.timers.find([key]))[0];
  const pass = async (ms: number): Promise<void> => {
    under.clock.advance(ms);
    await under.engine.runDue();
  };

  it('a first due time from now is counted from the store’s time, and what follows from that', async () => {
    await under.timers.schedule([{ ...key, owner: 'ann', inMs: 500, every }]);
    expect(await find()).toMatchObject({ dueAtMs: NOW_MS + 500, recurrence: { every } });
    await pass(600);
    expect(await find()).toMatchObject({ turn: 2, dueAtMs: NOW_MS + 500 + HOUR_MS });
  });

  it('one that never comes again from then on is refused, whichever way its first due time is said', async () => {
    const ending = { ms: HOUR_MS, untilMs: NOW_MS + 1000 };
    const asked = under.timers.schedule([{ ...key, owner: 'ann', inMs: 500, every: ending }]);
    await expect(asked).rejects.toMatchObject({ code: 'timer/never-again' });
  });

  it('schedule or move moves its coming turn, and takes over the recurrence that is given', async () => {
    await under.timers.schedule([{ ...key, owner: 'ann', dueAtMs: NOW_MS + HOUR_MS, every }]);
    const [outcome] = await under.timers.scheduleOrMove([{ ...key, owner: 'ann', inMs: 10, cron }]);
    expect(outcome).toMatchObject({ outcome: 'moved', timer: { dueAtMs: NOW_MS + 10, recurrence: { cron } } });
    await pass(20);
    expect(await find()).toMatchObject({ turn: 2, recurrence: { cron }, dueAtMs: nextCronMs(cron, NOW_MS + 10) });
  });

  describe('of days, moved to an earlier day before its first turn', () => {
    const days = { days: 1, timeZone: 'Europe/Berlin' };
    const first = { ...key, owner: 'ann', dueAtMs: NOW_MS + 3 * DAY_MS, every: days };

    it.each([
      ['a reschedule', () => under.timers.reschedule([{ ...key, dueAtMs: NOW_MS }])],
      ['a shift', () => under.timers.shift([{ ...key, byMs: -3 * DAY_MS }])],
      ['a schedule or move', () => under.timers.scheduleOrMove([{ ...key, owner: 'ann', dueAtMs: NOW_MS }])],
    ])('by %s comes on each day from then on', async (_how, move) => {
      await under.timers.schedule([first]);
      await move();
      await pass(0);
      expect(await find()).toMatchObject({ turn: 2, dueAtMs: NOW_MS + DAY_MS });
    });

    it('does not come before the beginning that its caller gave', async () => {
      await under.timers.schedule([{ ...first, every: { ...days, fromMs: first.dueAtMs } }]);
      await under.timers.reschedule([{ ...key, dueAtMs: NOW_MS }]);
      await pass(0);
      expect(await find()).toMatchObject({ turn: 2, dueAtMs: first.dueAtMs });
    });
  });

  it.each([
    ['its first due time', {}],
    ['its first due time, which is not that of its beginning', { fromMs: Date.parse('2027-03-20T09:00Z') }],
  ])('of days keeps the local time of %s behind a night that lacks it', async (_what, more) => {
    const dueAtMs = Date.parse('2027-03-27T01:30Z');
    under.clock.advance(dueAtMs - NOW_MS);
    await under.timers.schedule([
      { ...key, owner: 'ann', dueAtMs, every: { days: 1, timeZone: 'Europe/Berlin', ...more } },
    ]);
    await pass(0);
    expect(await find()).toMatchObject({ dueAtMs: Date.parse('2027-03-28T01:00Z') });
    await pass(DAY_MS);
    expect(await find()).toMatchObject({ dueAtMs: Date.parse('2027-03-29T00:30Z') });
  });

  it('a row’s recurrence of days may be given to another timer, which is due in that night', async () => {
    const dueAtMs = Date.parse('2027-03-28T01:00Z');
    under.clock.advance(dueAtMs - NOW_MS);
    const every = { days: 1, timeZone: 'Europe/Berlin' };
    const other = { ...key, subject: 'b' };
    await under.timers.schedule([{ ...other, owner: 'ann', dueAtMs: dueAtMs + DAY_MS - HOUR_MS / 2, every }]);
    const [row] = await under.timers.find([other]);
    await under.timers.schedule([{ ...key, owner: 'ann', dueAtMs, ...row?.recurrence }]);
    await pass(0);
    expect(await find()).toMatchObject({ dueAtMs: row?.dueAtMs, recurrence: row?.recurrence });
  });

  it('complete and cancel in its handler end it; so does complete from outside', async () => {
    await under.timers.schedule([{ ...key, owner: 'ann', dueAtMs: NOW_MS + 10, every }]);
    inHandler = (tx) => tx.timers.complete([{ ...key, result: 'enough' }]);
    await pass(10);
    expect(await find()).toMatchObject({ state: 'completed', turn: 1, result: 'enough' });
    await under.timers.schedule([{ ...key, owner: 'ann', dueAtMs: NOW_MS + 20, every }]);
    await under.timers.complete([key]);
    await pass(2 * HOUR_MS);
    expect(fired).toBe(1);
  });

  it('fire now fires its coming turn at once, and the next one comes when it would have come', async () => {
    await under.timers.schedule([{ ...key, owner: 'ann', dueAtMs: NOW_MS + HOUR_MS, every }]);
    await pass(1000);
    await under.timers.fireNow([key]);
    await pass(0);
    expect(fired).toBe(1);
    expect(await find()).toMatchObject({ turn: 2, dueAtMs: NOW_MS + 2 * HOUR_MS });
  });

  it('fired now it uses up one of its times, and one of a calendar does not come twice', async () => {
    await under.timers.schedule([{ ...key, owner: 'ann', cron: { ...cron, times: 2 } }]);
    const firstMs = nextCronMs(cron, NOW_MS) ?? 0;
    await under.timers.fireNow([key]);
    await pass(0);
    expect(await find()).toMatchObject({ turn: 2, dueAtMs: nextCronMs(cron, firstMs) });
    await pass(3 * HOUR_MS);
    expect(fired).toBe(2);
  });

  it('put off by its handler, again and again, it is none of its times', async () => {
    let putOff = 3;
    inHandler = async (tx) => {
      if (putOff-- > 0) await tx.timers.schedule([{ ...key, owner: 'ann', inMs: 5 }]);
    };
    await under.timers.schedule([{ ...key, owner: 'ann', dueAtMs: NOW_MS, every: { ...every, times: 3 } }]);
    for (let at = 0; at < 4; at += 1) await pass(5);
    expect(await find()).toMatchObject({ state: 'scheduled', turn: 5 });
    await pass(HOUR_MS);
    await pass(HOUR_MS);
    expect(await find()).toMatchObject({ state: 'completed', turn: 6 });
    expect(fired).toBe(6);
  });

  const misfire = { late: 'skip' } as const;

  it.each([
    ['shifted', () => under.timers.shift([{ ...key, byMs: -2 * HOUR_MS }])],
    ['rescheduled', () => under.timers.reschedule([{ ...key, dueAtMs: NOW_MS - 2 * HOUR_MS }])],
    ['scheduled or moved', () => under.timers.scheduleOrMove([{ ...key, owner: 'ann', dueAtMs: NOW_MS - HOUR_MS }])],
  ])('%s into the past it fires at once, and is not late', async (_how, move) => {
    await under.timers.schedule([{ ...key, owner: 'ann', inMs: HOUR_MS / 6, misfire }]);
    await move();
    await pass(0);
    expect(fired).toBe(1);
    expect(await find()).toMatchObject({ state: 'completed', lateness: undefined });
  });

  it('put by its handler at a time in the past it fires at once, and is not late', async () => {
    inHandler = async (tx) => {
      if (fired === 1) await tx.timers.schedule([{ ...key, owner: 'ann', dueAtMs: NOW_MS - HOUR_MS }]);
    };
    await under.timers.schedule([{ ...key, owner: 'ann', inMs: 0, misfire }]);
    await pass(0);
    await pass(0);
    expect(fired).toBe(2);
  });

  it('put by its call at a time in the past it fires at once, and is not late', async () => {
    let called = 0;
    under.engine.register({
      kind: 'mail',
      call: async () => {
        called += 1;
        return called === 1 ? again(NOW_MS - HOUR_MS) : undefined;
      },
      misfire,
    });
    await under.timers.schedule([{ kind: 'mail', subject: 'a', owner: 'ann', inMs: 0 }]);
    await pass(0);
    await pass(0);
    expect(called).toBe(2);
  });

  it('that waits for a retry is not late after a shift by nothing', async () => {
    inHandler = async () => {
      if (fired === 1) throw new Error('not yet');
    };
    await under.timers.schedule([{ ...key, owner: 'ann', inMs: 0, misfire }]);
    await pass(0);
    await under.timers.pause([key]);
    await pass(HOUR_MS);
    await under.timers.resume([key]);
    await under.timers.shift([{ ...key, byMs: 0 }]);
    await pass(0);
    expect(fired).toBe(2);
    expect(await find()).toMatchObject({ state: 'completed', lateness: undefined });
  });

  it('held back it fires once when it is resumed, and goes on from its due time', async () => {
    await under.timers.schedule([{ ...key, owner: 'ann', dueAtMs: NOW_MS + 10, every }]);
    await under.timers.pause([key]);
    await pass(HOUR_MS / 2);
    expect(fired).toBe(0);
    await under.timers.resume([key]);
    await pass(0);
    expect(fired).toBe(1);
    expect(await find()).toMatchObject({ turn: 2, dueAtMs: NOW_MS + 10 + HOUR_MS });
  });

  it('under a key a first time by the calendar is the same call when it is sent again, an hour later', async () => {
    const asked = [{ ...key, owner: 'ann', cron }];
    const first = await under.timers.schedule(asked, { idempotencyKey: 'k' });
    under.clock.advance(HOUR_MS);
    const second = await under.timers.schedule(asked, { idempotencyKey: 'k' });
    expect(second).toEqual(JSON.parse(JSON.stringify(first)));
  });

  it('under a key it is the same call also when its calendar has no further turn', async () => {
    const asked = [{ ...key, owner: 'ann', cron: { ...cron, untilMs: NOW_MS + 3 * HOUR_MS } }];
    const first = await under.timers.schedule(asked, { idempotencyKey: 'season' });
    under.clock.advance(3 * HOUR_MS);
    expect(await under.timers.schedule(asked, { idempotencyKey: 'season' })).toEqual(JSON.parse(JSON.stringify(first)));
    await expect(under.timers.schedule(asked)).rejects.toMatchObject({ code: 'timer/never-again' });
  });

  it('a handler passes its timer on with another due time, also one with a policy of its own', async () => {
    const misfire = { afterMs: 5, late: 'hand' } as const;
    const errors: unknown[] = [];
    inHandler = async (tx, [timer]) => {
      const again = { ...timer, dueAtMs: NOW_MS + HOUR_MS } as FiredTimer;
      await tx.timers.schedule([{ ...again, misfire: { late: 'dead' } }]).catch((error: unknown) => errors.push(error));
      await tx.timers.schedule([again]);
    };
    await under.timers.schedule([{ ...key, owner: 'ann', dueAtMs: NOW_MS, misfire }]);
    await pass(5);
    expect(errors).toMatchObject([{ message: expect.stringContaining('leave out every, cron, misfire') }]);
    expect(await find()).toMatchObject({ turn: 2, attempt: 0, dueAtMs: NOW_MS + HOUR_MS, misfire });
  });
});
