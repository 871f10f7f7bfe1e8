import { describe, expect, it } from 'vitest';
import { holdClaims } from '../../../support/engine/hold-claims.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';
import { makeIntakeScene, NOW_MS, refOf } from './intake-scene.ts';

describe('a timer that is at work here', () => {
  it('is not taken again: its second delivery waits for what the first waits for', async () => {
    const { timer, intake, take, calls, store } = await makeIntakeScene();
    const ship = await timer('ship');
    const letGo = holdClaims(store);
    const taking = intake.accept([refOf(ship)]);
    await quiet();
    const again = await take(ship);
    expect(again).toEqual({ count: 0, isSettled: false });
    letGo();
    expect(await taking).toMatchObject({ count: 1 });
    await quiet();
    expect(again.isSettled).toBe(true);
    expect(calls).toHaveLength(1);
  });

  it('is not judged again: its first attempt was in time', async () => {
    const { timer, intake, take, calls, store, clock, row } = await makeIntakeScene();
    const ferry = await timer('ferry');
    const letGo = holdClaims(store);
    const taking = intake.accept([refOf(ferry)]);
    await quiet();
    clock.advance(1001);
    expect(await take(ferry)).toEqual({ count: 0, isSettled: false });
    // Beside one whose first attempt is late.
    const late = await timer('ferry');
    const both = await take(ferry, late);
    expect(both).toEqual({ count: 1, isSettled: false });
    letGo();
    await taking;
    await quiet();
    expect(both.isSettled).toBe(true);
    expect(await row(late)).toMatchObject({ state: 'completed', result: { misfired: true } });
    expect(calls.map(({ id }) => id)).toEqual([ferry.id]);
  });

  it('holds its delivery until it is claimed', async () => {
    const { timer, take, store } = await makeIntakeScene();
    const letGo = holdClaims(store);
    const taken = await take(await timer('ship'));
    expect(taken).toEqual({ count: 1, isSettled: false });
    letGo();
    await quiet();
    expect(taken.isSettled).toBe(true);
  });

  it('is taken anew where its row has moved on: the call of before is aborted', async () => {
    const { timer, take, calls, store, clock, intake } = await makeIntakeScene();
    const ship = await timer('ship');
    await take(ship);
    await store.change([{ target: { timerId: ship.id }, change: 'reschedule', dueAtMs: NOW_MS + 5 }]);
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

  it('keeps its new place when the work on its old row ends', async () => {
    const { timer, take, store, clock } = await makeIntakeScene();
    const brew = await timer('brew');
    const fires: (() => void)[] = [];
    store.fire = (timers) =>
      new Promise((resolve) => {
        fires.push(() => resolve({ timers, nowMs: clock.nowMs() }));
      });
    await take(brew);
    await store.change([{ target: { timerId: brew.id }, change: 'reschedule', dueAtMs: NOW_MS + 5 }]);
    clock.advance(5);
    expect(await take(brew)).toMatchObject({ count: 1 });
    fires[0]?.();
    await quiet();
    expect(fires).toHaveLength(2);
    expect(await take(brew)).toMatchObject({ count: 0 });
    fires[1]?.();
  });

  it('goes alone after a batch that the world failed', async () => {
    const { timer, take, store } = await makeIntakeScene();
    const brews = [await timer('brew'), await timer('brew')];
    const fire = store.fire.bind(store);
    const sizes: number[] = [];
    store.isWorldFault = () => true;
    store.fire = (timers, work) => {
      sizes.push(timers.length);
      return sizes.length === 1 ? Promise.reject(new Error('the world failed')) : fire(timers, work);
    };
    await take(...brews);
    await take(...brews);
    expect(sizes).toEqual([2, 1, 1]);
  });

  it('is taken again, as it was, once the work on it has ended', async () => {
    const { timer, take, store, fired } = await makeIntakeScene();
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
