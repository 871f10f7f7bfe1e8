import { describe, expect, it } from 'vitest';
import { quiet } from '../../../support/engine/lane-scene.ts';
import { makeLane, NOW_MS } from './hand-worked-lane.ts';

describe('what waits in a lane', () => {
  it('is deferred in its row a second after the lane stalled: the first by a second, none by more than thirty', async () => {
    const { lane, take, advance, deferrals, told, events, settled } = makeLane();
    await lane.add(take(61));
    await advance(975);
    expect(deferrals).toEqual([]);
    await advance(25);
    // One slot: as if one a second were finished.
    expect(deferrals.map(({ byMs }) => byMs)).toEqual(
      Array.from({ length: 60 }, (_, at) => Math.min(30_000, (at + 1) * 1000)),
    );
    expect(deferrals[0]).toEqual({ timerId: '3', revision: 1, byMs: 1000, claims: 0 });
    expect(events).toEqual([{ type: 'deferred', kind: 'order', count: 60 }]);
    expect(told).toHaveLength(60);
    expect(told[0]).toMatchObject({ timerId: '3', fireAtMs: NOW_MS + 2000 });
    expect(settled()).toBe(60);
    expect(lane.state).toEqual({ kind: 'order', running: 1, waiting: 0 });
  });

  it('is deferred once the first of it waited for longer than its patience, though the lane goes on', async () => {
    const { lane, take, advance, deferred, finishEach } = makeLane({ patienceMs: 2000 });
    await lane.add(take(100));
    await finishEach(500, 3);
    await advance(475);
    expect(deferred()).toEqual([]);
    await advance(25);
    expect(deferred()).toEqual(Array.from({ length: 96 }, (_, at) => at + 5));
  });

  it('is deferred by what the lane finished lately', async () => {
    const { lane, take, advance, deferrals, finishEach } = makeLane({ patienceMs: 2000 });
    await lane.add(take(100));
    await finishEach(500, 3);
    await advance(500);
    // Three in two seconds, and the one that is at work: two a second.
    expect(deferrals.slice(0, 4).map(({ byMs }) => byMs)).toEqual([1000, 1000, 1500, 2000]);
  });

  it('stays in a herd: in a lane that finishes a thousand a second', async () => {
    const { lane, take, deferrals, finishEach } = makeLane({ slots: 112, patienceMs: 500 });
    await lane.add(take(9000));
    await finishEach(100, 30);
    expect(deferrals).toHaveLength(0);
    expect(lane.state.waiting).toBe(9000 - 31 * 112);
  });

  it('stays where exactly a thousand were finished in the last second', async () => {
    const { lane, take, advance, begun, deferrals } = makeLane({ slots: 1000, patienceMs: 500 });
    await lane.add(take(1001));
    await advance(900);
    begun[0]?.finish(1000);
    await lane.add(take(1000, 2000));
    await advance(600);
    expect(lane.state.waiting).toBe(1);
    expect(deferrals).toEqual([]);
  });

  it('is deferred by a thousand in a transaction, each by its place among all', async () => {
    const { lane, take, advance, deferrals, events } = makeLane();
    await lane.add(take(2001));
    await advance(1000);
    expect(deferrals.map(({ byMs }) => byMs)).toEqual(
      Array.from({ length: 2000 }, (_, at) => Math.min(30_000, (at + 1) * 1000)),
    );
    expect(events).toEqual([1000, 1000].map((count) => ({ type: 'deferred', kind: 'order', count })));
  });

  it('is deferred in a lane that finishes less', async () => {
    const { lane, take, deferrals, finishEach } = makeLane({ slots: 111, patienceMs: 500 });
    await lane.add(take(9000));
    await finishEach(100, 10);
    expect(deferrals.length).toBeGreaterThan(0);
  });

  it('is put off for five seconds in the index alone when its kind is paused', async () => {
    const { lane, take, pause, begun, told, events, deferrals, settled } = makeLane();
    await lane.add(take(3));
    pause();
    begun[0]?.finish();
    await quiet();
    expect(told.map(({ timerId, fireAtMs }) => [timerId, fireAtMs])).toEqual([
      ['3', NOW_MS + 5000],
      ['5', NOW_MS + 5000],
    ]);
    expect(events).toEqual([{ type: 'requeued', reason: 'paused', count: 2 }]);
    expect([deferrals.length, settled(), lane.isIdle]).toEqual([0, 3, true]);
  });
});

describe('more than ten thousand', () => {
  it('wait outside, and come in as there is room', async () => {
    const { lane, take, begun } = makeLane();
    let isIn = false;
    const adding = lane.add(take(10_003)).then(() => {
      isIn = true;
    });
    await quiet();
    expect(lane.state.waiting).toBe(9999);
    expect(isIn).toBe(false);
    for (const at of [0, 1, 2]) {
      begun[at]?.finish();
      await quiet();
    }
    await adding;
    expect(lane.state.waiting).toBe(9999);
    expect(begun.at(-1)?.id).toBe('4');
  });

  it('are deferred when the lane is no herd after a second: those outside too, as they come in', async () => {
    const { lane, take, advance, deferred, settled } = makeLane();
    const adding = lane.add(take(10_003));
    await quiet();
    await advance(1000);
    await adding;
    expect(new Set(deferred()).size).toBe(10_000);
    await advance(250);
    expect(new Set(deferred()).size).toBe(10_002);
    expect([settled(), lane.state.waiting]).toEqual([10_002, 0]);
  });

  it('are deferred at once where the lane is slow already: behind those that wait', async () => {
    const { lane, take, advance, deferrals } = makeLane();
    await lane.add(take(1));
    await advance(1100);
    await lane.add(take(10_001, 2));
    expect(deferrals).toEqual([{ timerId: '20003', revision: 1, byMs: 30_000, claims: 0 }]);
    expect(lane.state.waiting).toBe(10_000);
  });

  it('are deferred in a slow lane though none waited for long and it goes on', async () => {
    const { lane, take, advance, begun, deferred } = makeLane();
    await lane.add(take(10_000));
    await lane.add(take(1, 10_001));
    await advance(900);
    begun[0]?.finish();
    await quiet();
    await lane.add(take(1, 20_000));
    expect(lane.state.waiting).toBe(10_000);
    await advance(75);
    expect(deferred()).toEqual([]);
    await advance(25);
    expect(deferred()).toHaveLength(10_000);
  });

  it('come in as soon as those before them are deferred', async () => {
    const { lane, take, advance } = makeLane();
    await lane.add(take(10_000));
    await lane.add(take(1, 20_000));
    await advance(100);
    const adding = lane.add(take(1, 30_000));
    await advance(900);
    await adding;
    expect(lane.state.waiting).toBe(1);
  });
});
