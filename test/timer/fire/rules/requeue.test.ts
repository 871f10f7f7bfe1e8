import { describe, expect, it } from 'vitest';
import { deferRows, requeue } from '../../../../server/timer/fire/requeue.ts';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import type { HomeHold } from '../../../../server/timer/model/timer-store.ts';
import { firingScene } from '../../../support/engine/firing-scene.ts';

describe('a timer whose row is locked', () => {
  it.each([
    [0, 10],
    [9, 10],
    [11, 11],
    [99, 99],
    [101, 100],
    [60_000, 100],
  ])('and is %s ms late comes again in %s ms', async (lateMs, pauseMs) => {
    const { tools, timer } = await firingScene();
    const nowMs = timer.fireAtMs + lateMs;
    const at = (ms: number) => requeue(tools, [timer], { reason: 'locked', nowMs: ms });
    expect(at(nowMs)).toEqual([{ ...entryOf(timer), fireAtMs: nowMs + pauseMs }]);
    expect(Number(at(nowMs + 0.25)[0]?.fireAtMs) % 1).toBe(0);
  });
});

describe('a timer whose kind this process lacks', () => {
  it.each([
    [0, 20],
    [79, 20],
    [100, 25],
    [400, 100],
    [4000, 1000],
    [60_000, 1000],
  ])('and is %s ms late comes again in %s ms: soon, for another process may have the kind', async (lateMs, pauseMs) => {
    const { tools, timer } = await firingScene();
    const nowMs = timer.fireAtMs + lateMs;
    const again = requeue(tools, [timer], { reason: 'unknown-kind', nowMs });
    expect(again).toEqual([{ ...entryOf(timer), fireAtMs: nowMs + pauseMs }]);
  });
});

describe('deferring rows', () => {
  const byOneSecond = () => ({ byMs: 1000, claims: 1 }) as const;

  it('of things holds their homes, each until the last of its timers, and counts nothing', async () => {
    const holds: (readonly HomeHold[])[] = [];
    const faultyStore = {
      hold: async (some: readonly HomeHold[]) => void holds.push(some),
      defer: () => Promise.reject(new Error('asked')),
    };
    const { tools, timer, clock, events, nowMs } = await firingScene({ faultyStore });
    Object.assign(clock, { nowMs: () => nowMs + 0.5 });
    const ofThings = ['ann', 'bob', 'ann'].map((owner, at) => ({ ...timer, id: String(2 * at + 2), owner }));
    const deferred = await deferRows(tools, ofThings, (_, at) => ({ byMs: 1000 * (at + 1), claims: 0 }));
    const later = ofThings.map((one, at) => ({ ...one, fireAtMs: nowMs + 1000 * (at + 1) }));
    expect(deferred).toEqual({ timers: later, others: [] });
    expect(holds).toEqual([
      [
        { owner: 'ann', untilMs: nowMs + 3000, attempt: 0 },
        { owner: 'bob', untilMs: nowMs + 2000, attempt: 0 },
      ],
    ]);
    expect(events).toEqual([]);
  });

  it('of things comes again in half a second where their homes cannot be held', async () => {
    const faultyStore = { hold: () => Promise.reject(new Error('connection lost')) };
    const { tools, timer, events, nowMs } = await firingScene({ faultyStore });
    const ofThing = { ...timer, id: '2' };
    const others = [{ ...entryOf(ofThing), fireAtMs: nowMs + 500 }];
    expect(await deferRows(tools, [ofThing], byOneSecond)).toEqual({ timers: [], others });
    expect(events).toEqual([{ type: 'requeued', reason: 'world-fault', count: 1 }]);
  });
});
