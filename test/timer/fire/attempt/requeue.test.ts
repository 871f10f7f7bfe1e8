import { describe, expect, it } from 'vitest';
import { finish, InFlight } from '../../../../server/timer/fire/in-flight.ts';
import { deferRows, publish, requeue } from '../../../../server/timer/fire/requeue.ts';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import type { HomeHold } from '../../../../server/timer/model/timer-store.ts';
import { afterLock } from '../../../support/engine/after-lock.ts';
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

describe('putting back', () => {
  it('ends the work, then tells the index, then lets the delivery go', async () => {
    const steps: string[] = [];
    const apply = async (): Promise<void> => {
      await Promise.resolve();
      steps.push('told');
    };
    const { tools, timer } = await firingScene({ faultyWriter: { apply } });
    const taken = new InFlight(timer, 0, () => steps.push('ended'));
    void taken.settled.then(() => steps.push('settled'));
    await finish(tools, [taken], [entryOf(timer)]);
    await taken.settled;
    expect(steps).toEqual(['ended', 'told', 'settled']);
  });

  it('puts the entries into the index', async () => {
    const { tools, timer, index, nowMs } = await firingScene();
    await finish(tools, [], [{ ...entryOf(timer), fireAtMs: nowMs + 7 }]);
    expect(await index.orders.listByOwner('ann')).toEqual([{ ...entryOf(timer), fireAtMs: nowMs + 7 }]);
  });

  it('gives the time and the reason, at whole milliseconds, and says nothing of no timers', async () => {
    const { tools, timer, events, nowMs } = await firingScene();
    const paused = { reason: 'paused', nowMs: nowMs + 5.5 } as const;
    expect(requeue(tools, [timer], paused)).toEqual([{ ...entryOf(timer), fireAtMs: nowMs + 5005 }]);
    expect(requeue(tools, [], paused)).toEqual([]);
    expect(events).toEqual([{ type: 'requeued', reason: 'paused', count: 1 }]);
  });

  it('gives what a stopping process has to others as it was', async () => {
    const { tools, timer, events } = await firingScene();
    expect(requeue(tools, [timer], { reason: 'stopping' })).toEqual([entryOf(timer)]);
    expect(requeue(tools, [], { reason: 'stopping' })).toEqual([]);
    expect(events).toEqual([{ type: 'requeued', reason: 'stopping', count: 1 }]);
  });

  it('lives with an index that cannot be told, and logs it', async () => {
    const apply = () => Promise.reject(new Error('away'));
    const { tools, timer, lines } = await firingScene({ faultyWriter: { apply } });
    await publish(tools, { put: [entryOf(timer)], remove: [] });
    expect(lines.map(({ level }) => level)).toEqual(['error']);
  });
});

describe('deferring rows', () => {
  const byOneSecond = () => ({ byMs: 1000, claims: 1 }) as const;

  it('moves them, and says nothing of others where there are none', async () => {
    const { tools, timer, row, events, nowMs } = await firingScene();
    const { timers, others } = await deferRows(tools, [timer], byOneSecond);
    expect(timers).toEqual([await row()]);
    expect(await row()).toMatchObject({ fireAtMs: nowMs + 1000, claims: 1, revision: timer.revision + 1 });
    expect(others).toEqual([]);
    expect(events).toEqual([]);
  });

  it('asks for each by its place, and looks again at those that are locked or moved', async () => {
    const { tools, timer, events, nowMs } = await firingScene();
    const moved = { ...timer, revision: timer.revision + 5 };
    const asked: (readonly [string, number])[] = [];
    const { timers, others } = await deferRows(tools, [moved], (one, at) => {
      asked.push([one.id, at]);
      return byOneSecond();
    });
    expect(asked).toEqual([[timer.id, 0]]);
    expect(timers).toEqual([]);
    expect(others).toEqual([afterLock(moved, nowMs)]);
    expect(events).toEqual([{ type: 'requeued', reason: 'locked', count: 1 }]);
  });

  it('comes again in half a second where the store is away', async () => {
    const faultyStore = { defer: () => Promise.reject(new Error('connection lost')) };
    const { tools, timer, events, nowMs } = await firingScene({ faultyStore });
    expect(await deferRows(tools, [timer], byOneSecond)).toEqual({
      timers: [],
      others: [{ ...entryOf(timer), fireAtMs: nowMs + 500 }],
    });
    expect(events).toEqual([{ type: 'requeued', reason: 'world-fault', count: 1 }]);
  });

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
