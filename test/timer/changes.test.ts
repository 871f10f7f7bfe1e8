import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Timer } from '../../server/timer/model/timer.ts';
import { OptionsRefused } from '../../shared/options/options-refused.ts';
import { thingKind } from '../support/engine/kinds.ts';
import { makeEngine, makeRedisEngine, NOW_MS } from '../support/engine/timer-engine.ts';

type Engine = Awaited<ReturnType<typeof makeEngine | typeof makeRedisEngine>>;

const order = (subject: string, delayMs = 1000, kind = 'order') => ({
  kind,
  subject,
  owner: 'ann',
  dueAtMs: NOW_MS + delayMs,
});
const key = (subject: string) => ({ kind: 'order', subject });

const engines: [string, () => Promise<Engine>][] = [['the wheel', makeEngine]];
if (inject('redisUrl') !== '') engines.push(['Redis', makeRedisEngine]);

describe.each(engines)('with the index in %s', (_name, make) => {
  let under: Engine;
  let fired: Timer[];
  beforeEach(async () => {
    under = await make();
    fired = [];
    for (const kind of ['order', 'hint'])
      under.engine.register({
        kind,
        fire: async (timers) => {
          fired.push(...timers);
          return undefined;
        },
      });
    under.engine.register(thingKind('feeding'));
    await under.engine.runDue();
  });
  afterEach(() => under.dispose());

  /** Ann's, which is due when her others are. */
  const beginThing = async (): Promise<void> => {
    await under.engine.join();
    await under.changeThings({ put: [order('ann~f', 1000, 'feeding')] });
  };

  /** The timers that fired by so many milliseconds after the beginning. */
  const firedAt = async (delayMs: number): Promise<readonly string[]> => {
    under.clock.advance(NOW_MS + delayMs - under.clock.nowMs());
    await under.engine.runDue();
    return fired.map(({ subject }) => subject);
  };

  it('fires what is scheduled and rescheduled from now by the store’s clock, and not a millisecond early', async () => {
    under.clock.advance(500);
    const { dueAtMs: _, ...rest } = order('a');
    await under.timers.schedule([{ ...rest, inMs: 100 }, order('b')]);
    await under.timers.reschedule([{ ...key('b'), inMs: 200 }]);
    expect(await firedAt(599)).toEqual([]);
    expect(await firedAt(600)).toEqual(['a']);
    expect(await firedAt(699)).toEqual(['a']);
    expect(await firedAt(700)).toEqual(['a', 'b']);
  });

  it('refuses a due time that is no instant, and one from two clocks', async () => {
    await expect(under.timers.reschedule([{ ...key('a'), inMs: 0.5 }])).rejects.toThrow(OptionsRefused);
    const both = { ...key('a'), dueAtMs: NOW_MS, inMs: 5 } as never;
    await expect(under.timers.reschedule([both])).rejects.toThrow('either');
    await expect(under.timers.shiftByOwner(['ann'], Number.NaN)).rejects.toThrow(OptionsRefused);
  });

  it('refuses a distance that leads beyond the clock, and goes on', async () => {
    const tooFar = { code: 'options/invalid', message: expect.stringContaining('ends in the year 2109') };
    const years = 100 * 365 * 86_400_000;
    await expect(under.timers.schedule([{ ...key('z'), owner: 'ann', inMs: years }])).rejects.toMatchObject(tooFar);
    await under.timers.schedule([order('a')]);
    await expect(under.timers.shift([{ ...key('a'), byMs: years }])).rejects.toMatchObject(tooFar);
    await expect(under.timers.reschedule([{ ...key('a'), inMs: years }])).rejects.toMatchObject(tooFar);
    await expect(under.timers.shiftByKind(['order'], years)).rejects.toMatchObject(tooFar);
    expect(await firedAt(1000)).toEqual(['a']);
  });

  it('says so when a handler schedules its timer for now without end', { timeout: 60_000 }, async () => {
    let turns = 0;
    under.engine.register({
      kind: 'restless',
      fire: async (timers, tx, nowMs) => {
        turns += timers.length;
        await tx.timers.schedule(timers.map((timer) => ({ ...timer, dueAtMs: nowMs })));
        return undefined;
      },
    });
    await under.timers.schedule([order('r', 0, 'restless')]);
    await expect(firedAt(0)).rejects.toMatchObject({ code: 'due/endless', message: expect.stringContaining('runDue') });
    expect(turns).toBeLessThanOrEqual(1000);
  });

  it('shifts an owner’s timers, of own kinds only', async () => {
    await under.timers.schedule([order('a'), order('b', 2000), order('h', 1000, 'hint')]);
    await beginThing();
    expect(await under.timers.shiftByOwner([], 5)).toEqual([]);
    const hints = await under.timers.shiftByOwner(['ann'], 7000, { kinds: ['hint', 'feeding'] });
    expect(hints.map(({ subject }) => subject)).toEqual(['h']);
    const all = await under.timers.shiftByOwner(['ann', 'bob'], -900);
    expect(all.map(({ subject }) => subject).sort()).toEqual(['a', 'b', 'h']);
    expect(await firedAt(100)).toEqual(['a']);
    expect(await firedAt(1100)).toEqual(['a', 'b']);
    expect(await firedAt(7100)).toEqual(['a', 'b', 'h']);
  });

  it('schedules or moves, and says which', async () => {
    const first = await under.timers.scheduleOrMove([{ ...order('a'), payload: 1 }, order('f', 1, 'feeding')]);
    expect(first).toMatchObject([{ outcome: 'applied' }, { outcome: 'derived' }]);
    const second = await under.timers.scheduleOrMove([order('a', 50), { ...order('a', 9), owner: 'bob' }]);
    expect(second).toMatchObject([{ outcome: 'moved', timer: { payload: 1 } }, { outcome: 'duplicate' }]);
    expect(await firedAt(49)).toEqual([]);
    expect(await firedAt(50)).toEqual(['a']);
  });

  it('schedules or moves a hundred at once: one applies, the others move it', async () => {
    const calls = Array.from({ length: 100 }, (_, at) => under.timers.scheduleOrMove([order('a', 100 + at)]));
    const outcomes = (await Promise.all(calls)).flat().map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['applied', ...Array(99).fill('moved')]);
    expect(await firedAt(99)).toEqual([]);
    expect(await firedAt(199)).toEqual(['a']);
  });

  it('never fires what was completed', async () => {
    await under.timers.schedule([order('a')]);
    expect(await under.timers.complete([{ ...key('a'), result: 'by hand' }])).toMatchObject([
      { outcome: 'applied', timer: { state: 'completed', result: 'by hand' } },
    ]);
    expect(await firedAt(1000)).toEqual([]);
    expect(await under.timers.cancel([key('a')])).toEqual([{ outcome: 'already-fired' }]);
  });

  it('fires at once what is to fire now, once', async () => {
    await under.timers.schedule([order('a', 1e9)]);
    expect(await under.timers.fireNow([key('a'), key('b')])).toMatchObject([
      { outcome: 'applied', timer: { dueAtMs: NOW_MS } },
      { outcome: 'not-found' },
    ]);
    expect(await firedAt(0)).toEqual(['a']);
    expect(await firedAt(1e9)).toEqual(['a']);
  });

  it('fires nothing that is paused, also by the sweeper and from a refilled index; then late, and once', async () => {
    await under.timers.schedule([order('a'), order('b')]);
    const [outcome] = await under.timers.pause([key('a')]);
    expect(outcome).toMatchObject({ outcome: 'applied', timer: { isPaused: true, dueAtMs: NOW_MS + 1000 } });
    expect(await under.timers.listByOwner('ann')).toMatchObject([
      { subject: 'b', isPaused: false },
      { subject: 'a', isPaused: true },
    ]);
    expect(await firedAt(1000)).toEqual(['b']);
    under.clock.advance(1e9);
    await under.engine.sweep();
    await under.engine.indexOperations.rebuild();
    expect(await firedAt(2e9)).toEqual(['b']);
    expect(await under.timers.resume([key('a')])).toMatchObject([{ outcome: 'applied', timer: { isPaused: false } }]);
    expect(await firedAt(2e9)).toEqual(['b', 'a']);
    expect(await firedAt(3e9)).toEqual(['b', 'a']);
  });

  it('pauses a timer in a transaction, and tells the index after the commit', async () => {
    await under.timers.schedule([order('a')]);
    await under.timers.transaction((timers) => timers.pause([key('a')]));
    expect(await firedAt(1000)).toEqual([]);
    await under.timers.transaction((timers) => timers.fireNow([key('a')]));
    expect(await firedAt(1000)).toEqual(['a']);
  });

  it('pauses no timer of a derived kind', async () => {
    await beginThing();
    const target = { kind: 'feeding', subject: 'ann~f' };
    for (const call of [under.timers.pause, under.timers.resume, under.timers.fireNow, under.timers.complete])
      expect(await call([target])).toEqual([{ outcome: 'derived' }]);
  });
});
