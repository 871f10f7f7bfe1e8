import { describe, expect, it } from 'vitest';
import type { InFlight } from '../../../../server/timer/fire/in-flight.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';
import { makeLane } from './hand-worked-lane.ts';

describe('a lane', () => {
  it('begins with as many as have room, and with the next as soon as one has ended', async () => {
    const { lane, take, begun } = makeLane({ slots: 2 });
    expect(lane.isIdle).toBe(true);
    await lane.add(take(4));
    expect(lane.state).toEqual({ kind: 'order', running: 2, waiting: 2 });
    expect(begun.map(({ id }) => id)).toEqual(['1 2']);
    begun[0]?.finish();
    await quiet();
    expect(begun.map(({ id }) => id)).toEqual(['1 2', '3 4']);
    expect(lane.isIdle).toBe(false);
    begun[1]?.finish();
    await lane.idle();
    expect(lane.state).toEqual({ kind: 'order', running: 0, waiting: 0 });
    expect(lane.isIdle).toBe(true);
  });

  it('takes in what comes later behind what waits', async () => {
    const { lane, take, begun } = makeLane();
    await lane.add(take(2));
    await lane.add(take(1, 3));
    for (const at of [0, 1, 2]) {
      begun[at]?.finish();
      await quiet();
    }
    expect(begun.map(({ id }) => id)).toEqual(['1', '2', '3']);
  });

  it('begins with those that its work chooses, wherever they wait, with each once', async () => {
    const firstAndLast = (waiting: readonly InFlight[], room: number) =>
      [waiting[0], waiting.at(-1)].slice(0, room).flatMap((one) => one ?? []);
    const { lane, take, begun } = makeLane({ slots: 2, choose: firstAndLast });
    await lane.add(take(6));
    for (const at of [0, 1]) {
      begun[at]?.finish();
      await quiet();
    }
    expect(begun.map(({ id }) => id)).toEqual(['1 6', '2 5', '3 4']);
  });

  it('begins with one from the middle', async () => {
    const second = (waiting: readonly InFlight[]) => [waiting[1] ?? waiting[0]].flatMap((one) => one ?? []);
    const { lane, take, begun } = makeLane({ choose: second });
    await lane.add(take(3));
    for (const at of [0, 1]) {
      begun[at]?.finish();
      await quiet();
    }
    expect(begun.map(({ id }) => id)).toEqual(['2', '3', '1']);
  });

  it('begins with the next when there is room, though what gave it back has not ended', async () => {
    const end = Promise.withResolvers<void>();
    const { lane, take, begun, settled } = makeLane({ settling: end.promise });
    await lane.add(take(2));
    begun[0]?.finish();
    await quiet();
    expect([begun.length, settled()]).toEqual([2, 0]);
    begun[1]?.finish();
    end.resolve();
    await lane.idle();
    expect(settled()).toBe(2);
  });

  it('is not idle while something waits, though nothing runs', async () => {
    const { lane, take } = makeLane({ slots: 0 });
    await lane.add(take(1));
    expect([lane.state.running, lane.isIdle]).toEqual([0, false]);
  });
});

describe('a lane that stops', () => {
  it('gives back what waits and what still comes, and what runs goes on', async () => {
    const { lane, take, begun, toldOf, events, settled } = makeLane();
    await lane.add(take(3));
    lane.stop();
    await quiet();
    expect(toldOf()).toEqual([2, 3]);
    await lane.add(take(1, 9));
    expect(toldOf()).toEqual([2, 3, 9]);
    expect(events).toEqual([
      { type: 'requeued', reason: 'stopping', count: 2 },
      { type: 'requeued', reason: 'stopping', count: 1 },
    ]);
    expect(settled()).toBe(3);
    expect(lane.isIdle).toBe(false);
    begun[0]?.finish();
    await lane.idle();
    expect(lane.isIdle).toBe(true);
  });

  it('lets go of those that wait outside', async () => {
    const { lane, take, toldOf } = makeLane();
    const adding = lane.add(take(10_003));
    await quiet();
    lane.stop();
    await adding;
    expect(new Set(toldOf()).size).toBe(10_002);
  });

  it('looks no more whether waiting is worth it', async () => {
    const { lane, take, advance, deferrals } = makeLane();
    await lane.add(take(3));
    lane.stop();
    await advance(3000);
    expect(deferrals).toEqual([]);
  });
});
