import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Wheel } from '../../../server/timer/wheel/wheel.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { PROPERTY_RUNS } from '../../support/properties/property-runs.ts';

const START_MS = 1_790_000_000_000;

const delay = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: 2 ** 31 }),
  fc.integer({ min: 0, max: 2 ** 41 }),
);

const step = fc.oneof(
  fc.record({ type: fc.constant('insert' as const), delayMs: delay }),
  fc.record({ type: fc.constant('move' as const), pick: fc.nat(), delayMs: delay }),
  fc.record({ type: fc.constant('cancel' as const), pick: fc.nat() }),
  fc.record({ type: fc.constant('pass' as const), byMs: delay, limit: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ type: fc.constant('look' as const) }),
);

interface Naive {
  id: number;
  fireAtMs: number;
  handle: number;
}

const inOrder = (left: Naive, right: Naive): number => left.fireAtMs - right.fireAtMs || left.id - right.id;

/** Holds the wheel against a sorted array. Ids are drawn backwards too, so that order by insertion would be noticed. */
const run = (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]): void => {
  const wheel = new Wheel(START_MS, 1);
  let naive: Naive[] = [];
  let nowMs = START_MS;
  let made = 0;
  const nextMs = () => naive.toSorted(inOrder)[0]?.fireAtMs;
  for (const each of steps) {
    const { boundMs } = wheel;
    const picked = 'pick' in each && naive.length > 0 ? naive[each.pick % naive.length] : undefined;
    if (each.type === 'insert') {
      made += 1;
      const id = made % 2 === 0 ? made : 1_000_000 - made;
      const fireAtMs = nowMs + each.delayMs;
      naive.push({ id, fireAtMs, handle: wheel.insert(id, fireAtMs) });
    } else if (each.type === 'move' && picked) {
      picked.fireAtMs = nowMs + each.delayMs;
      picked.handle = wheel.move(picked.handle, picked.fireAtMs);
    } else if (each.type === 'cancel' && picked) {
      wheel.cancel(picked.handle);
      naive = naive.filter((other) => other !== picked);
    } else if (each.type === 'look') {
      expect(wheel.nextFireAtMs()).toBe(nextMs());
    } else if (each.type === 'pass') {
      nowMs = Math.max(START_MS - 2000, Math.min(nowMs + each.byMs, LATEST_MS - 1));
      naive.sort(inOrder);
      const due = naive.filter((timer) => timer.fireAtMs <= nowMs).slice(0, each.limit);
      naive = naive.filter((timer) => !due.includes(timer));
      const popped: { id: number; fireAtMs: number }[] = [];
      while (popped.length < each.limit) {
        const handle = wheel.pop(nowMs);
        if (handle === -1) break;
        popped.push({ id: wheel.idOf(handle), fireAtMs: wheel.fireAtMsOf(handle) });
      }
      expect(popped).toEqual(due.map(({ id, fireAtMs }) => ({ id, fireAtMs })));
    }
    expect(wheel.size).toBe(naive.length);
    expectSameBetween(wheel, naive, nowMs);
    expect(wheel.boundMs).toBeLessThanOrEqual(nextMs() ?? Number.POSITIVE_INFINITY);
    if (naive.length === 0) expect(wheel.boundMs).toBe(Number.POSITIVE_INFINITY);
    if (wheel.boundMs < boundMs) expect(wheel.boundMs).toBe(nextMs());
  }
  expect(wheel.nextFireAtMs()).toBe(nextMs());
};

const expectSameBetween = (wheel: Wheel, naive: readonly Naive[], nowMs: number): void => {
  for (const [fromMs, beforeMs] of [
    [nowMs - 2, nowMs + 3],
    [nowMs + 1000, nowMs + 61_000],
    [nowMs + 61_000, 2 ** 43],
  ] as const) {
    const wanted = naive.filter(({ fireAtMs }) => fireAtMs >= fromMs && fireAtMs < beforeMs).map(({ id }) => id);
    const found = wheel.between(fromMs, beforeMs).map((handle) => wheel.idOf(handle));
    expect([...found].sort()).toEqual([...wanted].sort());
  }
};

describe('Wheel', () => {
  it('yields the same timers at the same time in the same order as a sorted array', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => run(steps)),
      { numRuns: PROPERTY_RUNS },
    );
  });

  it('yields timers of one instant by id, whatever the order of their insertion', () => {
    const wheel = new Wheel(START_MS);
    for (const id of [5, 3, 9, 1]) wheel.insert(id, START_MS + 7);
    const ids = [1, 2, 3, 4].map(() => wheel.idOf(wheel.pop(START_MS + 7)));
    expect(ids).toEqual([1, 3, 5, 9]);
  });

  it('does not yield a timer one millisecond before it is due', () => {
    const wheel = new Wheel(START_MS);
    wheel.insert(1, START_MS + 14_400_000);
    expect(wheel.pop(START_MS + 14_399_999)).toBe(-1);
    expect(wheel.pop(START_MS + 14_400_000)).not.toBe(-1);
  });

  it('keeps the order when one timer of an instant comes while a late one is ready and another waits in its slot', () => {
    const wheel = new Wheel(START_MS);
    wheel.insert(2, START_MS);
    wheel.insert(9, START_MS - 1);
    wheel.nextFireAtMs();
    wheel.insert(1, START_MS);
    wheel.insert(4, START_MS);
    const ids = [1, 2, 3, 4].map(() => wheel.idOf(wheel.pop(START_MS)));
    expect(ids).toEqual([9, 1, 2, 4]);
  });

  it('puts a timer of the instant that is being yielded among those that are left of it', () => {
    const wheel = new Wheel(START_MS);
    for (const id of [3, 7]) wheel.insert(id, START_MS);
    expect(wheel.idOf(wheel.pop(START_MS))).toBe(3);
    wheel.insert(5, START_MS);
    const ids = [1, 2].map(() => wheel.idOf(wheel.pop(START_MS)));
    expect(ids).toEqual([5, 7]);
  });

  it('gives the place of a timer that is gone to the next one, so that it grows by what is pending alone', () => {
    const wheel = new Wheel(START_MS);
    const stays = wheel.insert(1, START_MS + 1000);
    const cancelled = wheel.insert(2, START_MS + 1000);
    wheel.cancel(cancelled);
    expect(wheel.insert(3, START_MS)).toBe(cancelled);
    const popped = wheel.pop(START_MS);
    expect(wheel.idOf(popped)).toBe(3);
    expect(wheel.insert(4, START_MS + 5)).toBe(popped);
    expect(wheel.idOf(stays)).toBe(1);
  });

  it('looks only into the slots of a time to say what is due in it', () => {
    const wheel = new Wheel(START_MS);
    for (let id = 0; id < 100_000; id += 1) wheel.insert(id, START_MS + 14_400_000 + id);
    for (let id = 0; id < 10; id += 1) wheel.insert(id, START_MS + id);
    wheel.insert(100_001, START_MS + 30_000);
    let looks = 0;
    const { fireAtMsOf } = wheel;
    wheel.fireAtMsOf = (handle) => {
      looks += 1;
      return fireAtMsOf.call(wheel, handle);
    };
    expect(wheel.between(START_MS + 1000, START_MS + 61_000)).toHaveLength(1);
    expect(looks).toBe(1);
  });

  it('passes over a hundred thousand cancelled timers of one instant', () => {
    const wheel = new Wheel(START_MS);
    const handles = Array.from({ length: 100_000 }, (_, id) => wheel.insert(id, START_MS + 1));
    wheel.pop(START_MS + 1);
    for (const handle of handles.slice(1, -1)) wheel.cancel(handle);
    expect(wheel.idOf(wheel.pop(START_MS + 1))).toBe(99_999);
    expect(wheel.size).toBe(0);
  });
});
