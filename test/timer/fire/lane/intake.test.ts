import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';
import { makeIntakeScene, NOW_MS, refOf } from './intake-scene.ts';

const comesAgain = (timers: readonly Timer[], fireAtMs: number) => [
  { put: timers.map((timer) => ({ ...entryOf(timer), fireAtMs })), remove: [] },
];

describe('an intake', () => {
  it('gives each timer that is due to the lane of its kind, once, however often it is named', async () => {
    const { timer, take, intake, calls, fired, events } = await makeIntakeScene();
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
    const { intake, store, told } = await makeIntakeScene();
    store.read = () => Promise.reject(new Error('it was asked'));
    const { count, settled } = await intake.accept([]);
    await settled;
    expect(count).toBe(0);
    expect(told).toEqual([]);
  });

  it('puts back what is not due yet, at its time, and says how many', async () => {
    const { timer, take, told, events, fired } = await makeIntakeScene();
    const early = await timer('brew', { dueAtMs: NOW_MS + 1 });
    expect(await take(early)).toEqual({ count: 0, isSettled: true });
    expect(told).toEqual(comesAgain([early], NOW_MS + 1));
    expect(events).toEqual([{ type: 'requeued', reason: 'not-due', count: 1 }]);
    expect(fired).toEqual([]);
  });

  it('knows nothing of timers that are gone', async () => {
    const { timer, take, told, store } = await makeIntakeScene();
    const gone = await timer('brew');
    await store.change([{ target: { timerId: gone.id }, change: 'cancel' }]);
    expect(await take(gone)).toEqual({ count: 0, isSettled: true });
    expect(told).toEqual([]);
  });
});

describe('a fault', () => {
  it('of the rows is the caller’s, who takes them again later', async () => {
    const { timer, take, intake, store, fired } = await makeIntakeScene();
    const brew = await timer('brew');
    const read = store.read.bind(store);
    store.read = () => Promise.reject(new Error('no rows'));
    await expect(intake.accept([refOf(brew)])).rejects.toThrow('no rows');
    store.read = read;
    expect(await take(brew)).toEqual({ count: 1, isSettled: true });
    expect(fired).toEqual([brew.id]);
  });

  it('of the index holds up nothing: it is logged, and the sweeper finds what was not put', async () => {
    const { timer, take, index, failed, fired } = await makeIntakeScene();
    index.isBroken = true;
    const [early, brew] = [await timer('brew', { dueAtMs: NOW_MS + 1 }), await timer('brew')];
    expect(await take(early, brew)).toMatchObject({ count: 1 });
    expect(fired).toEqual([brew.id]);
    expect(failed).toContainEqual({ err: new Error('no index'), count: 1 });
  });
});

describe('timers of a kind without a handler here', () => {
  it('come again after a second; that they are about is known for three', async () => {
    const { timer, take, told, events, intake, clock } = await makeIntakeScene();
    expect(intake.meetsUnknownKinds).toBe(false);
    const strange = [await timer('dig'), await timer('dig')];
    expect(await take(...strange)).toEqual({ count: 0, isSettled: true });
    expect(told).toEqual(comesAgain(strange, NOW_MS + 1000));
    expect(events).toEqual([{ type: 'requeued', reason: 'unknown-kind', count: 2 }]);
    clock.advance(2999);
    expect(intake.meetsUnknownKinds).toBe(true);
    clock.advance(1);
    expect(intake.meetsUnknownKinds).toBe(false);
  });

  it('are warned of once a minute, with their kind and number', async () => {
    const { timer, take, warned, clock } = await makeIntakeScene();
    const strange = [await timer('dig'), await timer('dig')];
    await take(...strange);
    await take(...strange);
    expect(warned).toEqual([[{ code: 'timer/unknown-kind', kind: 'dig', count: 2 }, expect.any(String)]]);
    clock.advance(60_000);
    await take(...strange);
    expect(warned).toHaveLength(2);
  });

  it('hold up no others', async () => {
    const { timer, take, fired } = await makeIntakeScene();
    const [strange, brew] = [await timer('dig'), await timer('brew')];
    expect(await take(strange, brew)).toEqual({ count: 1, isSettled: true });
    expect(fired).toEqual([brew.id]);
  });
});

it('timers of a paused kind come again after five seconds', async () => {
  const { timer, take, told, events, kinds, fired, intake } = await makeIntakeScene();
  kinds.setPaused(new Set(['brew']));
  const paused = [await timer('brew')];
  expect(await take(...paused)).toEqual({ count: 0, isSettled: true });
  expect(told).toEqual(comesAgain(paused, NOW_MS + 5000));
  expect(events).toEqual([{ type: 'requeued', reason: 'paused', count: 1 }]);
  expect([fired, intake.meetsUnknownKinds]).toEqual([[], false]);
});

describe('timers that come late', () => {
  it('are judged before they fire: one whose policy is to skip is over, and the index hears of it', async () => {
    const { timer, take, told, fired, row, clock } = await makeIntakeScene();
    const late = await timer('toll');
    clock.advance(1001);
    const prompt = await timer('toll', { dueAtMs: NOW_MS + 1000 });
    expect(await take(late, prompt)).toEqual({ count: 2, isSettled: true });
    expect(fired).toEqual([prompt.id]);
    expect(told.flatMap(({ remove }) => remove.map(({ timerId }) => timerId))).toContain(late.id);
    expect(await row(late)).toMatchObject({ state: 'completed', result: { misfired: true } });
  });

  it('delay no other kind while they are judged', async () => {
    const { timer, take, fired, clock, store } = await makeIntakeScene();
    const fire = store.fire.bind(store);
    const { promise: judging, resolve: judge } = Promise.withResolvers<void>();
    store.fire = async (timers, work) => {
      if (timers.some(({ kind }) => kind === 'toll')) await judging;
      return fire(timers, work);
    };
    const [late, brew] = [await timer('toll'), await timer('brew')];
    clock.advance(1001);
    const taken = await take(late, brew);
    expect([fired, taken.isSettled]).toEqual([[brew.id], false]);
    judge();
    await quiet();
    expect([fired, taken.isSettled]).toEqual([[brew.id], true]);
  });

  it('that repeat come again at their next time', async () => {
    const { timer, take, told, fired, clock } = await makeIntakeScene();
    const late = await timer('toll', { every: { ms: 5000 } });
    clock.advance(2000);
    expect(await take(late)).toEqual({ count: 1, isSettled: true });
    expect(fired).toEqual([]);
    expect(told.flatMap(({ put }) => put.map(({ timerId, fireAtMs }) => [timerId, fireAtMs]))).toEqual([
      [late.id, NOW_MS + 5000],
    ]);
  });
});

describe('an intake that stops', () => {
  it('gives back all that comes, and lets what runs go on', async () => {
    const { timer, take, told, events, intake, calls } = await makeIntakeScene();
    const ship = await timer('ship');
    await take(ship);
    told.length = 0;
    intake.stop();
    const later = [await timer('brew'), await timer('ship')];
    expect(await take(...later)).toMatchObject({ isSettled: true });
    expect(told.flatMap(({ put }) => put)).toEqual(later.map(entryOf));
    expect(events.filter(({ type }) => type === 'requeued')).toEqual([
      { type: 'requeued', reason: 'stopping', count: 1 },
      { type: 'requeued', reason: 'stopping', count: 1 },
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

  it('gives back what waits for a connection', async () => {
    const { timer, take, intake, share, fired, told } = await makeIntakeScene();
    const held = Promise.withResolvers<void>();
    const others = [share.use(() => held.promise), share.use(() => held.promise)];
    const brew = await timer('brew');
    const taken = await take(brew);
    expect(taken).toEqual({ count: 1, isSettled: false });
    intake.stop();
    await quiet();
    expect(taken.isSettled).toBe(true);
    expect(told.flatMap(({ put }) => put)).toEqual([entryOf(brew)]);
    held.resolve();
    await Promise.all(others);
    expect(fired).toEqual([]);
  });

  it('begins with nothing of a kind that it had not met before', async () => {
    const { timer, take, intake, calls, told } = await makeIntakeScene();
    intake.stop();
    const ship = await timer('ship');
    expect(await take(ship)).toMatchObject({ isSettled: true });
    expect(calls).toEqual([]);
    expect(told.flatMap(({ put }) => put)).toEqual([entryOf(ship)]);
  });

  it('ends the calls that run when it is to abort', async () => {
    const { timer, take, intake, calls } = await makeIntakeScene();
    await take(await timer('ship'));
    intake.abort();
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(calls[0]?.signal.reason).toMatchObject({ why: 'stopping' });
    await intake.idle();
  });

  it('hears that a row was written elsewhere: its call is ended', async () => {
    const { timer, take, intake, calls, row } = await makeIntakeScene();
    const ship = await timer('ship');
    await take(ship);
    const revision = (await row(ship))?.revision ?? 0;
    intake.abortStale([{ timerId: ship.id, revision }]);
    expect(calls[0]?.signal.aborted).toBe(false);
    intake.abortStale([{ timerId: ship.id, revision: revision + 1 }]);
    expect(calls[0]?.signal.reason).toMatchObject({ why: 'moved' });
    await intake.idle();
  });
});
