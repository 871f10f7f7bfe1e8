import { describe, expect, it } from 'vitest';
import { deferRows, requeue, requeueAfterFault } from '../../../../server/timer/fire/requeue.ts';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import type { HomeHold } from '../../../../server/timer/model/timer-store.ts';
import { firingScene } from '../../../support/engine/firing-scene.ts';

describe('a timer that did not fire', () => {
  it.each([
    ['locked', 0, 10],
    ['locked', 9, 10],
    ['locked', 11, 11],
    ['locked', 99, 99],
    ['locked', 101, 100],
    ['locked', 60_000, 100],
    ['unknown-kind', 0, 20],
    ['unknown-kind', 79, 20],
    ['unknown-kind', 100, 25],
    ['unknown-kind', 4000, 1000],
    ['unknown-kind', 60_000, 1000],
  ] as const)('because of %s, and is %s ms late, comes again in %s ms', async (reason, lateMs, pauseMs) => {
    const { tools, timer } = await firingScene();
    const nowMs = timer.fireAtMs + lateMs;
    const at = (ms: number) => requeue(tools, [timer], { reason, nowMs: ms });
    expect(at(nowMs)).toEqual([{ ...entryOf(timer), fireAtMs: nowMs + pauseMs }]);
    expect(Number(at(nowMs + 0.25)[0]?.fireAtMs) % 1).toBe(0);
  });
});

it('a fault that lasts is logged once a second for each kind, with the number of lines left out', async () => {
  const { tools, timer, clock } = await firingScene();
  const logged: unknown[] = [];
  const warn = (fields: object) => logged.push(fields);
  const quiet = { ...tools, log: { ...tools.log, warn } };
  const fail = (kind: string) => requeueAfterFault(quiet, [{ ...timer, kind }], new Error('away'));
  for (const kind of ['order', 'order', 'mail', 'order']) expect(fail(kind)).toHaveLength(1);
  clock.advance(1000);
  fail('order');
  expect(logged).toMatchObject([
    { kind: 'order', leftOut: 0 },
    { kind: 'mail', leftOut: 0 },
    { kind: 'order', leftOut: 2 },
  ]);
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
