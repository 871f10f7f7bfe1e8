import { describe, expect, it } from 'vitest';
import { MemoryTimerStore } from '../../../../server/adapter/memory/memory-timer-store.ts';
import { ManualClock } from '../../../../server/runtime/manual-clock.ts';
import { StoreClock } from '../../../../server/timer/clock/store-clock.ts';
import type { FiringTools } from '../../../../server/timer/fire/attempt/firing-tools.ts';
import { Intake } from '../../../../server/timer/fire/lane/intake.ts';
import { Share } from '../../../../server/timer/fire/lane/share.ts';
import type { EngineEvent } from '../../../../server/timer/model/engine-event.ts';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { TimerFields } from '../../../../server/timer/model/timer-changes.ts';
import type { CallKind } from '../../../../server/timer/model/timer-kind.ts';
import { TimerKinds } from '../../../../server/timer/model/timer-kinds.ts';
import type { IndexChanges } from '../../../../server/timer/model/timer-store.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';

const NOW_MS = 1_790_000_000_000;

/** An intake on rows in memory: `ship` is called for, and each call ends by hand; `brew` fires at once; `toll` skips what is late. */
const makeScene = async () => {
  const clock = new ManualClock(NOW_MS);
  const store = new MemoryTimerStore(clock.nowMs);
  const kinds = new TimerKinds();
  const [told, events]: [IndexChanges[], EngineEvent[]] = [[], []];
  const [warned, failed]: [unknown[], unknown[]] = [[], []];
  const calls: { readonly id: string; readonly signal: AbortSignal; readonly end: (result?: unknown) => void }[] = [];
  const call: CallKind['call'] = ({ id }, signal) =>
    new Promise((end) => {
      calls.push({ id, signal, end });
    });
  const fired: string[] = [];
  const fire = async (timers: readonly Timer[]): Promise<undefined> => {
    fired.push(...timers.map(({ id }) => id));
    return undefined;
  };
  kinds.register({ kind: 'ship', call });
  kinds.register({ kind: 'brew', fire });
  kinds.register({ kind: 'toll', fire, misfire: { afterMs: 1000, late: 'skip' } });
  const storeClock = new StoreClock(store, clock);
  await storeClock.refresh();
  const index = { isBroken: false };
  const apply = async (changes: IndexChanges): Promise<void> => {
    if (index.isBroken) throw new Error('no index');
    if (changes.put.length + changes.remove.length > 0) told.push(changes);
  };
  const tools = {
    ...{ store, kinds, clock, storeClock, indexWriter: { apply } },
    log: {
      info: () => undefined,
      error: (fields: object) => void failed.push(fields),
      warn: (...line: unknown[]) => void warned.push(line),
    },
    observe: (event: EngineEvent) => events.push(event),
  } as unknown as FiringTools;
  const intake = new Intake({ tools, limit: 10, share: new Share(2) });
  let subjects = 0;
  const timer = async (kind: string, more: Partial<TimerFields & { dueAtMs: number }> = {}): Promise<Timer> => {
    subjects += 1;
    const wanted = { kind, subject: `${subjects}`, owner: 'ann', dueAtMs: NOW_MS, ...more };
    const [outcome] = await store.schedule([wanted]);
    if (outcome?.outcome !== 'applied') throw new Error('not scheduled');
    return outcome.timer;
  };
  const take = async (...timers: readonly Timer[]) => {
    const { count, settled } = await intake.take(timers.map(({ id }) => id));
    const state = { count, isSettled: false };
    void settled.then(() => {
      state.isSettled = true;
    });
    await quiet();
    return state;
  };
  const row = async ({ id }: Timer) => (await store.find([{ timerId: id }]))[0];
  return { clock, store, kinds, intake, index, told, events, warned, failed, calls, fired, timer, take, row };
};

const comesAgain = (timers: readonly Timer[], fireAtMs: number) => [
  { put: timers.map((timer) => ({ ...entryOf(timer), fireAtMs })), remove: [] },
];

describe('an intake', () => {
  it('gives each timer that is due to the lane of its kind, once, however often it is named', async () => {
    const { timer, take, intake, calls, fired, events } = await makeScene();
    const [ship, brew] = [await timer('ship'), await timer('brew')];
    const taken = await take(ship, brew, ship);
    expect(taken).toEqual({ count: 2, isSettled: true });
    expect(fired).toEqual([brew.id]);
    expect(calls.map(({ id }) => id)).toEqual([ship.id]);
    expect(intake.lanes).toEqual([
      { kind: 'ship', running: 1, waiting: 0 },
      { kind: 'brew', running: 0, waiting: 0 },
    ]);
    expect(events.map(({ type }) => type)).toEqual(['fired']);
    calls[0]?.end();
    await intake.idle();
    expect(intake.lanes.map(({ running }) => running)).toEqual([0, 0]);
  });

  it('reads nothing for none', async () => {
    const { intake, store, told } = await makeScene();
    store.read = () => Promise.reject(new Error('it was asked'));
    const { count, settled } = await intake.take([]);
    await settled;
    expect(count).toBe(0);
    expect(told).toEqual([]);
  });

  it('puts back what is not due yet, at its time, and says how many', async () => {
    const { timer, take, told, events, fired } = await makeScene();
    const early = await timer('brew', { dueAtMs: NOW_MS + 1 });
    expect(await take(early)).toEqual({ count: 0, isSettled: true });
    expect(told).toEqual(comesAgain([early], NOW_MS + 1));
    expect(events).toEqual([{ type: 'put-back', reason: 'not-due', count: 1 }]);
    expect(fired).toEqual([]);
  });

  it('knows nothing of timers that are gone', async () => {
    const { timer, take, told, store } = await makeScene();
    const gone = await timer('brew');
    await store.change([{ target: { timerId: gone.id }, change: 'cancel' }], []);
    expect(await take(gone)).toEqual({ count: 0, isSettled: true });
    expect(told).toEqual([]);
  });
});

describe('a fault', () => {
  it('of the rows is the caller’s, who takes them again later', async () => {
    const { timer, take, intake, store, fired } = await makeScene();
    const brew = await timer('brew');
    const read = store.read.bind(store);
    store.read = () => Promise.reject(new Error('no rows'));
    await expect(intake.take([brew.id])).rejects.toThrow('no rows');
    store.read = read;
    expect(await take(brew)).toEqual({ count: 1, isSettled: true });
    expect(fired).toEqual([brew.id]);
  });

  it('of the index holds up nothing: it is logged, and the sweeper finds what was not put', async () => {
    const { timer, take, index, failed, fired } = await makeScene();
    index.isBroken = true;
    const [early, brew] = [await timer('brew', { dueAtMs: NOW_MS + 1 }), await timer('brew')];
    expect(await take(early, brew)).toMatchObject({ count: 1 });
    expect(fired).toEqual([brew.id]);
    expect(failed).toContainEqual({ err: new Error('no index'), count: 1 });
  });
});

describe('timers of a kind without a handler here', () => {
  it('come again after a second; that they are about is known for three', async () => {
    const { timer, take, told, events, intake, clock } = await makeScene();
    expect(intake.isStranger).toBe(false);
    const strange = [await timer('dig'), await timer('dig')];
    expect(await take(...strange)).toEqual({ count: 0, isSettled: true });
    expect(told).toEqual(comesAgain(strange, NOW_MS + 1000));
    expect(events).toEqual([{ type: 'put-back', reason: 'unknown-kind', count: 2 }]);
    clock.advance(2999);
    expect(intake.isStranger).toBe(true);
    clock.advance(1);
    expect(intake.isStranger).toBe(false);
  });

  it('are warned of once a minute, with their kind and number', async () => {
    const { timer, take, warned, clock } = await makeScene();
    const strange = [await timer('dig'), await timer('dig')];
    await take(...strange);
    await take(...strange);
    expect(warned).toEqual([[{ code: 'timer/unknown-kind', kind: 'dig', count: 2 }, expect.any(String)]]);
    clock.advance(60_000);
    await take(...strange);
    expect(warned).toHaveLength(2);
  });

  it('hold up no others', async () => {
    const { timer, take, fired } = await makeScene();
    const [strange, brew] = [await timer('dig'), await timer('brew')];
    expect(await take(strange, brew)).toEqual({ count: 1, isSettled: true });
    expect(fired).toEqual([brew.id]);
  });
});

it('timers of a paused kind come again after five seconds', async () => {
  const { timer, take, told, events, kinds, fired, intake } = await makeScene();
  kinds.setPaused(new Set(['brew']));
  const paused = [await timer('brew')];
  expect(await take(...paused)).toEqual({ count: 0, isSettled: true });
  expect(told).toEqual(comesAgain(paused, NOW_MS + 5000));
  expect(events).toEqual([{ type: 'put-back', reason: 'paused', count: 1 }]);
  expect([fired, intake.isStranger]).toEqual([[], false]);
});

describe('a timer that is at work here', () => {
  it('is not taken again: its second delivery waits for what the first waits for', async () => {
    const { timer, intake, take, calls, store } = await makeScene();
    const ship = await timer('ship');
    const claim = Promise.withResolvers<void>();
    const defer = store.defer.bind(store);
    store.defer = async (deferrals) => {
      await claim.promise;
      return defer(deferrals);
    };
    const taking = intake.take([ship.id]);
    await quiet();
    const again = await take(ship);
    expect(again).toEqual({ count: 0, isSettled: false });
    claim.resolve();
    expect(await taking).toMatchObject({ count: 1 });
    await quiet();
    expect(again.isSettled).toBe(true);
    expect(calls).toHaveLength(1);
  });

  it('is taken anew where its row has moved on: the call of before is aborted', async () => {
    const { timer, take, calls, store, clock, intake } = await makeScene();
    const ship = await timer('ship');
    await take(ship);
    await store.change([{ target: { timerId: ship.id }, change: 'reschedule', dueAtMs: NOW_MS + 5 }], []);
    clock.advance(5);
    expect(await take(ship)).toEqual({ count: 1, isSettled: true });
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    // The end of the old one is none of the new one.
    calls[0]?.end();
    await quiet();
    expect(await take(ship)).toMatchObject({ count: 0 });
    calls[1]?.end('arrived');
    await intake.idle();
  });

  it('is taken again, as it was, once the work on it has ended', async () => {
    const { timer, take, store, fired } = await makeScene();
    const brew = await timer('brew');
    const fire = store.fire.bind(store);
    store.isWorldFault = () => true;
    store.fire = () => Promise.reject(new Error('the world failed'));
    expect(await take(brew)).toEqual({ count: 1, isSettled: true });
    store.fire = fire;
    expect(await take(brew)).toEqual({ count: 1, isSettled: true });
    expect(fired).toEqual([brew.id]);
  });
});

describe('timers that come late', () => {
  it('are judged before they fire: one whose policy is to skip is over, and the index hears of it', async () => {
    const { timer, take, told, fired, row, clock } = await makeScene();
    const late = await timer('toll');
    clock.advance(1001);
    const prompt = await timer('toll', { dueAtMs: NOW_MS + 1000 });
    expect(await take(late, prompt)).toEqual({ count: 1, isSettled: true });
    expect(fired).toEqual([prompt.id]);
    expect(told.flatMap(({ remove }) => remove.map(({ timerId }) => timerId))).toContain(late.id);
    expect(await row(late)).toMatchObject({ state: 'completed', result: { misfired: true } });
  });

  it('that repeat come again at their next time', async () => {
    const { timer, take, told, fired, clock } = await makeScene();
    const late = await timer('toll', { every: { ms: 5000 } });
    clock.advance(2000);
    expect(await take(late)).toEqual({ count: 0, isSettled: true });
    expect(fired).toEqual([]);
    expect(told.flatMap(({ put }) => put.map(({ timerId, fireAtMs }) => [timerId, fireAtMs]))).toEqual([
      [late.id, NOW_MS + 5000],
    ]);
  });
});

describe('an intake that stops', () => {
  it('gives back all that comes, and lets what runs go on', async () => {
    const { timer, take, told, events, intake, calls } = await makeScene();
    const ship = await timer('ship');
    await take(ship);
    told.length = 0;
    intake.stop();
    const later = [await timer('brew'), await timer('ship')];
    expect(await take(...later)).toMatchObject({ isSettled: true });
    expect(told.flatMap(({ put }) => put)).toEqual(later.map(entryOf));
    expect(events.filter(({ type }) => type === 'put-back')).toEqual([
      { type: 'put-back', reason: 'stopping', count: 1 },
      { type: 'put-back', reason: 'stopping', count: 1 },
    ]);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false]);
    let isIdle = false;
    const idle = intake.idle().then(() => {
      isIdle = true;
    });
    await quiet();
    expect(isIdle).toBe(false);
    calls[0]?.end();
    await idle;
  });

  it('ends the calls that run when it is to abort', async () => {
    const { timer, take, intake, calls } = await makeScene();
    await take(await timer('ship'));
    intake.abort();
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(calls[0]?.signal.reason).toMatchObject({ why: 'stopping' });
    await intake.idle();
  });

  it('hears that a row was written elsewhere: its call is ended', async () => {
    const { timer, take, intake, calls, row } = await makeScene();
    const ship = await timer('ship');
    await take(ship);
    const revision = (await row(ship))?.revision ?? 0;
    intake.heard([{ timerId: ship.id, revision }]);
    expect(calls[0]?.signal.aborted).toBe(false);
    intake.heard([{ timerId: ship.id, revision: revision + 1 }]);
    expect(calls[0]?.signal.reason).toMatchObject({ why: 'moved' });
    await intake.idle();
  });
});
