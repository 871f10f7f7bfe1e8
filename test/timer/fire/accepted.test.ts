import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import type { TimerFields } from '../../../server/timer/model/timer-changes.ts';
import { calledByHand, type LaneScene, laneScene, quiet, workedByHand } from '../../support/engine/lane-scene.ts';
import { recordedLog } from '../../support/log/logs.ts';

/** Rows that the index does not know yet. */
const commit = async (
  { rows, nowMs }: Pick<LaneScene, 'rows' | 'nowMs'>,
  kind: string,
  more: Partial<TimerFields & { dueAtMs: number }> = {},
): Promise<Timer> => {
  const [outcome] = await rows.schedule([{ kind, subject: kind, owner: 'ann', dueAtMs: nowMs, ...more }]);
  if (outcome?.outcome !== 'applied') throw new Error('not scheduled');
  return outcome.timer;
};
/** Delivers timers together, at once. */
const deliver = async ({ index, clock }: Pick<LaneScene, 'index' | 'clock'>, ...timers: readonly Timer[]) => {
  await index.orders.put(timers.map((timer) => ({ ...entryOf(timer), fireAtMs: clock.nowMs() })));
  await quiet();
};
const waitsMs = async ({ index, clock }: LaneScene) =>
  new Map(
    (await index.orders.between(0, 2 ** 42, 10)).map(({ timerId, fireAtMs }) => [timerId, fireAtMs - clock.nowMs()]),
  );
const brewing = () => {
  const fired: string[] = [];
  const fire = async (timers: readonly Timer[]) => {
    fired.push(...timers.map(({ id }) => id));
    return undefined;
  };
  return { kind: 'brew', fire, fired };
};

describe('a delivered timer', () => {
  it('that does not fire now comes again: at its time, or soon, or in five seconds; the others fire', async () => {
    const brew = brewing();
    const scene = await laneScene({ kinds: [brew, { ...brew, kind: 'paused' }] });
    await scene.timers.pauseKind('paused');
    await scene.advance(1000);
    const early = await commit(scene, 'brew', { subject: 'early', dueAtMs: scene.clock.nowMs() + 7 });
    const due = await commit(scene, 'brew');
    const [paused, unknown] = [await commit(scene, 'paused'), await commit(scene, 'dig')];
    await deliver(scene, early, due, paused, unknown, due);
    expect(await waitsMs(scene)).toEqual(
      new Map([
        [early.id, 7],
        [unknown.id, 250],
        [paused.id, 5000],
      ]),
    );
    expect(brew.fired).toEqual([due.id]);
    expect(scene.events.filter(({ type }) => type === 'requeued')).toEqual(
      ['not-due', 'paused', 'unknown-kind'].map((reason) => ({ type: 'requeued', reason, count: 1 })),
    );
    expect(await scene.index.queue.oldestUnackedMs()).toEqual([0]);
  });

  it.each([
    ['locked', 0, 10],
    ['locked', 9, 10],
    ['locked', 11, 11],
    ['locked', 99, 99],
    ['locked', 101, 100],
    ['locked', 60_000, 100],
    ['unknown', 0, 20],
    ['unknown', 79, 20],
    ['unknown', 102, 25],
    ['unknown', 4000, 1000],
    ['unknown', 60_000, 1000],
  ])('that is %s, and %s ms late, comes again in %s ms', async (reason, lateMs, pauseMs) => {
    const scene: LaneScene = await laneScene({
      kinds: [{ ...brewing(), kind: 'locked' }],
      faultyStore: () => ({ fire: async () => ({ timers: [], nowMs: scene.clock.nowMs() }) }),
    });
    const timer = await commit(scene, reason, { dueAtMs: scene.nowMs - lateMs });
    await deliver(scene, timer);
    expect(await waitsMs(scene)).toEqual(new Map([[timer.id, pauseMs]]));
  });

  it('of an unknown kind is warned of once a minute, and is left to other nodes for three seconds', async () => {
    const { log, codes } = recordedLog();
    const receives: number[] = [];
    const scene = await laneScene({
      log,
      kinds: [],
      faultyIndex: ({ queue }) => ({
        queue: {
          receive: (limit, waitMs, signal) => {
            receives.push(waitMs);
            return queue.receive(limit, waitMs, signal);
          },
        },
      }),
    });
    expect(new Set(receives)).toEqual(new Set([1000]));
    const unknown = await commit(scene, 'dig');
    await deliver(scene, unknown);
    await deliver(scene, unknown);
    expect(codes()).toEqual(['timer/unknown-kind']);
    await scene.rows.change([{ target: { timerId: unknown.id }, change: 'shift', byMs: 60_000 }]);
    receives.length = 0;
    await scene.advance(2950);
    // Two workers, each ten times a second.
    expect(receives.length).toBeGreaterThan(50);
    expect(new Set(receives)).toEqual(new Set([0]));
    await scene.advance(150);
    expect(receives.at(-1)).toBe(1000);
    scene.clock.advance(57_000);
    const [again] = await scene.rows.find([{ timerId: unknown.id }]);
    if (again) await deliver(scene, again);
    expect(codes()).toEqual(['timer/unknown-kind', 'timer/unknown-kind']);
  });

  it('is read again soon when its rows could not be read', async () => {
    let faults = 2;
    const brew = brewing();
    const scene = await laneScene({
      kinds: [brew],
      faultyStore: (store) => ({
        read: (refs) => {
          faults -= 1;
          return faults >= 0 ? Promise.reject(new Error('no rows')) : store.read(refs);
        },
      }),
    });
    await deliver(scene, await commit(scene, 'brew'));
    await scene.advance(100);
    expect(brew.fired).toEqual([]);
    await scene.advance(300);
    expect(brew.fired).toHaveLength(1);
    expect(await scene.index.queue.oldestUnackedMs()).toEqual([0]);
  });

  it('fires though the index cannot be written; what was not put the sweeper finds', async () => {
    const { log, lines } = recordedLog();
    let isBroken = false;
    const brew = brewing();
    const scene = await laneScene({
      log,
      kinds: [brew],
      faultyIndex: ({ orders }) => ({
        orders: { put: (entries) => (isBroken ? Promise.reject(new Error('no index')) : orders.put(entries)) },
      }),
    });
    const [due, early] = [
      await commit(scene, 'brew'),
      await commit(scene, 'brew', { subject: 'early', dueAtMs: scene.nowMs + 500 }),
    ];
    isBroken = true;
    await deliver(scene, early, due);
    expect(brew.fired).toEqual([due.id]);
    expect(lines).toEqual([expect.objectContaining({ level: 'error', message: expect.stringContaining('index') })]);
    isBroken = false;
    await scene.advance(4000);
    expect(brew.fired).toEqual([due.id, early.id]);
  });
});

it('a timer that is due again at once fires, though it is delivered before the index has said that it was told', async () => {
  const turns: number[] = [];
  const scene = await laneScene({
    kinds: [
      {
        kind: 'order',
        fire: async ([timer], tx) => {
          turns.push(timer?.turn ?? 0);
          if (turns.length < 3) await tx.timers.schedule([wanted]);
          return undefined;
        },
      },
    ],
    faultyIndex: ({ orders }) => ({
      orders: {
        put: async (entries) => {
          const isTaken = await orders.put(entries);
          // The other worker of the process is quick.
          await quiet();
          return isTaken;
        },
      },
    }),
  });
  const wanted = { kind: 'order', subject: 'a', owner: 'ann', dueAtMs: scene.nowMs };
  await scene.timers.schedule([wanted]);
  await scene.advance(200);
  expect(turns).toEqual([1, 2, 3]);
});

describe('a timer in flight', () => {
  /** A kind of calls that skips late timers, and a store that claims nothing until it may. */
  const claiming = async () => {
    const claimed = Promise.withResolvers<void>();
    const ship = calledByHand('ship', { misfire: { afterMs: 1000, late: 'skip' } });
    const scene = await laneScene({
      kinds: [ship],
      faultyStore: (store) => ({ defer: (deferrals) => claimed.promise.then(() => store.defer(deferrals)) }),
    });
    return { ...scene, scene, ship, claim: claimed.resolve };
  };

  it('is neither accepted nor judged again; both deliveries wait until it is claimed', async () => {
    const { scene, ship, claim, rows, index, advance } = await claiming();
    const timer = await commit(scene, 'ship');
    await deliver(scene, timer);
    await advance(1100);
    const late = await commit(scene, 'ship', { subject: 'late' });
    await deliver(scene, timer, late);
    await advance(100);
    expect(ship.calls).toEqual([]);
    expect(await index.queue.oldestUnackedMs()).toEqual([1200]);
    claim();
    await advance(25);
    expect(ship.calls.map(({ timer: called }) => called.id)).toEqual([timer.id]);
    expect(await rows.find([{ timerId: late.id }])).toMatchObject([{ state: 'completed', result: { misfired: true } }]);
    expect(await index.queue.oldestUnackedMs()).toEqual([0]);
  });

  it('is accepted anew at a later revision, once: the end of the old call is not the end of the new', async () => {
    const ship = calledByHand('ship');
    const scene = await laneScene({ kinds: [ship] });
    const timer = await commit(scene, 'ship');
    await deliver(scene, timer);
    const change = { target: { timerId: timer.id }, change: 'reschedule', dueAtMs: scene.nowMs } as const;
    const [moved] = await scene.rows.change([change]);
    if (moved?.outcome !== 'applied') throw new Error('not moved');
    await deliver(scene, moved.timer);
    expect(ship.calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    ship.calls[0]?.reply();
    const [claimed] = await scene.rows.find([{ timerId: timer.id }]);
    await scene.rows.change([{ ...change, dueAtMs: scene.nowMs }]);
    if (claimed) await deliver(scene, claimed);
    expect(ship.calls.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    ship.calls[2]?.reply('arrived');
    await quiet();
    expect(await scene.rows.find([{ timerId: timer.id }])).toMatchObject([{ result: 'arrived' }]);
  });

  it('keeps its place at a later revision when a batch with its old row ends', async () => {
    const brew = workedByHand('brew');
    const ends: (() => void)[] = [];
    const scene = await laneScene({
      kinds: [brew],
      faultyStore: (store) => ({
        fire: async (timers) => {
          await new Promise<void>((resolve) => ends.push(resolve));
          return { timers, nowMs: await store.nowMs() };
        },
      }),
    });
    const timer = await commit(scene, 'brew');
    await deliver(scene, timer);
    const [moved] = await scene.rows.change([
      { target: { timerId: timer.id }, change: 'reschedule', dueAtMs: scene.nowMs },
    ]);
    if (moved?.outcome !== 'applied') throw new Error('not moved');
    await deliver(scene, moved.timer);
    ends[0]?.();
    await quiet();
    await deliver(scene, moved.timer);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await quiet();
    expect(ends).toHaveLength(2);
  });
});
