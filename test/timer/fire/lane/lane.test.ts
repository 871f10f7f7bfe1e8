import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../server/runtime/manual-clock.ts';
import type { FiringTools } from '../../../../server/timer/fire/attempt/firing-tools.ts';
import type { LaneTurn, LaneWork } from '../../../../server/timer/fire/attempt/lane-work.ts';
import { TakenTimer } from '../../../../server/timer/fire/attempt/taken-timer.ts';
import { Lane } from '../../../../server/timer/fire/lane/lane.ts';
import type { EngineEvent } from '../../../../server/timer/model/engine-event.ts';
import type { IndexEntry } from '../../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { TimerDeferral } from '../../../../server/timer/model/timer-store.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';
import { silentLog } from '../../../support/log/silent-log.ts';

const NOW_MS = 1_790_000_000_000;
const STEP_MS = 25;
const timer = (id: number) =>
  ({
    id: String(id),
    owner: 'ann',
    kind: 'order',
    fireAtMs: NOW_MS,
    revision: 1,
    attempt: 0,
    state: 'scheduled',
  }) as Timer;

/** A lane whose work ends by hand: `slots` timers at once, each by itself, none where `takesNone`. */
const makeScene = ({ slots = 1, patienceMs = 2000 } = {}) => {
  const clock = new ManualClock(NOW_MS);
  const [deferrals, told, events]: [TimerDeferral[], IndexEntry[], EngineEvent[]] = [[], [], []];
  const begun: { readonly id: string; finish(count?: number): void }[] = [];
  let running = 0;
  let isPaused = false;
  const work: LaneWork = {
    get room() {
      return slots - running;
    },
    get running() {
      return running;
    },
    capacity: slots,
    choose: (waiting) => waiting.slice(0, slots - running),
    begin: async (taken: readonly TakenTimer[], onRoom: (turn: LaneTurn) => void) => {
      running += taken.length;
      const { promise, resolve } = Promise.withResolvers<number>();
      begun.push({ id: taken.map((one) => one.timer.id).join(' '), finish: (count = taken.length) => resolve(count) });
      const finished = await promise;
      running -= taken.length;
      onRoom({ finished });
      for (const one of taken) one.settle();
    },
  };
  const tools = {
    clock,
    storeClock: { nowMs: () => clock.nowMs() + 0.5 },
    kinds: { isPaused: () => isPaused },
    log: silentLog,
    observe: (event: EngineEvent) => events.push(event),
    indexWriter: { apply: async ({ put }: { put: readonly IndexEntry[] }) => void told.push(...put) },
    store: {
      defer: async (items: readonly TimerDeferral[]) => {
        deferrals.push(...items);
        const timers = items.map(({ timerId, byMs }) => ({
          ...timer(Number(timerId)),
          fireAtMs: clock.nowMs() + byMs,
        }));
        return { timers, nowMs: clock.nowMs() };
      },
    },
  } as unknown as FiringTools;
  const lane = new Lane({ tools, kind: 'order', work, patienceMs });
  let settled = 0;
  const take = (count: number, from = 1) =>
    Array.from({ length: count }, (_, at) => {
      const taken = new TakenTimer(timer(from + at), clock.monotonicMs(), () => undefined);
      void taken.settled.then(() => {
        settled += 1;
      });
      return taken;
    });
  const advance = async (byMs: number): Promise<void> => {
    for (let left = byMs; left > 0; left -= STEP_MS) {
      clock.advance(Math.min(left, STEP_MS));
      await quiet();
    }
  };
  /** What was begun first ends after so long, then the next after as long again, so many times. */
  const finishEach = async (everyMs: number, times: number): Promise<void> => {
    for (let turn = 0; turn < times; turn += 1) {
      await advance(everyMs);
      begun[turn]?.finish();
      await quiet();
    }
  };
  const idsOf = (items: readonly { readonly timerId: string }[]) => items.map(({ timerId }) => Number(timerId));
  return {
    ...{ clock, lane, take, advance, finishEach, begun, deferrals, told, events },
    settled: () => settled,
    deferred: () => idsOf(deferrals),
    toldOf: () => idsOf(told),
    pause: () => {
      isPaused = true;
    },
  };
};

describe('a lane', () => {
  it('begins with as many as have room, and with the next as soon as one has ended', async () => {
    const { lane, take, begun } = makeScene({ slots: 2 });
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
    const { lane, take, begun } = makeScene();
    await lane.add(take(2));
    await lane.add(take(1, 3));
    for (const at of [0, 1, 2]) {
      begun[at]?.finish();
      await quiet();
    }
    expect(begun.map(({ id }) => id)).toEqual(['1', '2', '3']);
  });
});

describe('what waits in a lane', () => {
  it('is deferred in its row a second after the lane stalled: the first by a second, none by more than thirty', async () => {
    const { lane, take, advance, deferrals, told, events, settled } = makeScene();
    await lane.add(take(61));
    await advance(975);
    expect(deferrals).toEqual([]);
    await advance(25);
    // One slot: as if one a second were finished.
    expect(deferrals.map(({ byMs }) => byMs)).toEqual(
      Array.from({ length: 60 }, (_, at) => Math.min(30_000, (at + 1) * 1000)),
    );
    expect(deferrals[0]).toEqual({ timerId: '2', revision: 1, byMs: 1000, claims: 0 });
    expect(events).toEqual([{ type: 'deferred', kind: 'order', count: 60 }]);
    expect(told).toHaveLength(60);
    expect(told[0]).toMatchObject({ timerId: '2', fireAtMs: NOW_MS + 2000 });
    expect(settled()).toBe(60);
    expect(lane.state).toEqual({ kind: 'order', running: 1, waiting: 0 });
  });

  it('is deferred once the first of it waited for longer than its patience, though the lane goes on', async () => {
    const { lane, take, advance, deferred, finishEach } = makeScene({ patienceMs: 2000 });
    await lane.add(take(100));
    await finishEach(500, 3);
    await advance(475);
    expect(deferred()).toEqual([]);
    await advance(25);
    expect(deferred()).toEqual(Array.from({ length: 96 }, (_, at) => at + 5));
  });

  it('is deferred by what the lane finished lately', async () => {
    const { lane, take, advance, deferrals, finishEach } = makeScene({ patienceMs: 2000 });
    await lane.add(take(100));
    await finishEach(500, 3);
    await advance(500);
    // Three in two seconds, and the one that is at work: two a second.
    expect(deferrals.slice(0, 4).map(({ byMs }) => byMs)).toEqual([1000, 1000, 1500, 2000]);
  });

  it('stays in a herd: in a lane that finishes a thousand a second', async () => {
    const { lane, take, deferrals, finishEach } = makeScene({ slots: 112, patienceMs: 500 });
    await lane.add(take(9000));
    await finishEach(100, 30);
    expect(deferrals).toHaveLength(0);
    expect(lane.state.waiting).toBe(9000 - 31 * 112);
  });

  it('is deferred in a lane that finishes less', async () => {
    const { lane, take, deferrals, finishEach } = makeScene({ slots: 111, patienceMs: 500 });
    await lane.add(take(9000));
    await finishEach(100, 10);
    expect(deferrals.length).toBeGreaterThan(0);
  });

  it('is put off for five seconds in the index alone when its kind is paused', async () => {
    const { lane, take, pause, begun, told, events, deferrals, settled } = makeScene();
    await lane.add(take(3));
    pause();
    begun[0]?.finish();
    await quiet();
    expect(told.map(({ timerId, fireAtMs }) => [timerId, fireAtMs])).toEqual([
      ['2', NOW_MS + 5000],
      ['3', NOW_MS + 5000],
    ]);
    expect(events).toEqual([{ type: 'put-back', reason: 'paused', count: 2 }]);
    expect([deferrals.length, settled(), lane.isIdle]).toEqual([0, 3, true]);
  });
});

describe('more than ten thousand', () => {
  it('wait outside, and come in as there is room', async () => {
    const { lane, take, begun } = makeScene();
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
    const { lane, take, advance, deferred, settled } = makeScene();
    const adding = lane.add(take(10_003));
    await quiet();
    await advance(1000);
    await adding;
    expect(new Set(deferred()).size).toBe(10_000);
    await advance(250);
    expect(new Set(deferred()).size).toBe(10_002);
    expect([settled(), lane.state.waiting]).toEqual([10_002, 0]);
  });
});

describe('a lane that stops', () => {
  it('gives back what waits and what still comes, and what runs goes on', async () => {
    const { lane, take, begun, toldOf, events, settled } = makeScene();
    await lane.add(take(3));
    lane.stop();
    await quiet();
    expect(toldOf()).toEqual([2, 3]);
    await lane.add(take(1, 9));
    expect(toldOf()).toEqual([2, 3, 9]);
    expect(events).toEqual([
      { type: 'put-back', reason: 'stopping', count: 2 },
      { type: 'put-back', reason: 'stopping', count: 1 },
    ]);
    expect(settled()).toBe(3);
    expect(lane.isIdle).toBe(false);
    begun[0]?.finish();
    await lane.idle();
    expect(lane.isIdle).toBe(true);
  });

  it('lets go of those that wait outside', async () => {
    const { lane, take, toldOf } = makeScene();
    const adding = lane.add(take(10_003));
    await quiet();
    lane.stop();
    await adding;
    expect(new Set(toldOf()).size).toBe(10_002);
  });

  it('looks no more whether waiting is worth it', async () => {
    const { lane, take, advance, deferrals } = makeScene();
    await lane.add(take(3));
    lane.stop();
    await advance(3000);
    expect(deferrals).toEqual([]);
  });
});
