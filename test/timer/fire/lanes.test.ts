import { describe, expect, it } from 'vitest';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import { entryOf } from '../../../server/timer/model/index-entry.ts';
import type { CallKind, FireKind } from '../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { thingKind } from '../../support/engine/kinds.ts';
import { type LaneScene, laneScene, quiet, spread } from '../../support/engine/lane-scene.ts';
import type { IndexFaults } from '../../support/engine/sabotaged.ts';

const STEP_MS = 25;
const never = () => new Promise<never>(() => undefined);

interface Faulty {
  /** Whether the slow kind has a call under way. */
  readonly isBusy: () => boolean;
  readonly pause: () => Promise<void>;
}

/** The effect of one kind's timers on the others. */
const besides = async (slow: CallKind | FireKind, faultyIndex?: (index: DueIndex, faulty: Faulty) => IndexFaults) => {
  let scene: LaneScene | undefined;
  const lateMs: number[] = [];
  const note = (dueAtMs: number): void => void lateMs.push((scene?.clock.nowMs() ?? Number.NaN) - dueAtMs);
  const reminder: FireKind = {
    kind: 'reminder',
    fire: async (timers) => {
      for (const { dueAtMs } of timers) note(dueAtMs);
      return undefined;
    },
  };
  /** Settles an owner as homes do: its things' timers end in a transaction of its own. */
  const pet = thingKind('pet', async (owners) => {
    const rows = (await scene?.rows.listByOwners(owners)) ?? [];
    const due = rows.filter(({ kind, dueAtMs }) => kind === 'pet' && dueAtMs <= (scene?.clock.nowMs() ?? 0));
    for (const { dueAtMs } of due) note(dueAtMs);
    await scene?.rows.changeThings({ end: due });
    return { unsettled: [], moved: new Set(due.map(({ id }) => id)) };
  });
  const isBusy = (): boolean =>
    scene?.engine.lanes.some(({ kind, running }) => kind === slow.kind && running > 0) ?? false;
  const pause = () => new Promise<void>((resolve) => void scene?.clock.after(100, resolve));
  scene = await laneScene({
    kinds: [slow, reminder, pet],
    ...(faultyIndex && { faultyIndex: (index) => faultyIndex(index, { isBusy, pause }) }),
  });
  const { rows, engine, nowMs } = scene;
  await engine.timers.schedule([
    ...spread(slow.kind, 400, { fromMs: nowMs + 1000 }),
    ...spread('reminder', 51, { fromMs: nowMs + 1000, spanMs: 9000 }),
  ]);
  const pets = spread('pet', 51, { fromMs: nowMs + 1000, spanMs: 9000 });
  await engine.indexWriter.apply(await rows.changeThings({ put: pets }));
  return { scene, lateMs };
};

/** All others are at most a step late. */
const keepsOthersOnTime = async (...args: Parameters<typeof besides>): Promise<LaneScene> => {
  const { scene, lateMs } = await besides(...args);
  await scene.advance(12_000);
  expect(lateMs.length, 'others did not fire').toBe(102);
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(STEP_MS);
  return scene;
};

const hanging: CallKind = { kind: 'refund', call: never };
const failing: FireKind = { kind: 'refund', fire: () => Promise.reject(new Error('no')) };

describe('beside four hundred timers of another kind, pets and reminders fire on time', () => {
  it('where the service of a call hangs', async () => {
    const { index, engine } = await keepsOthersOnTime(hanging);
    expect(engine.lanes.find(({ kind }) => kind === 'refund')).toMatchObject({ running: 16 });
    expect(Math.max(...(await index.queue.oldestUnackedMs()))).toBeLessThanOrEqual(1500);
  });

  it('where calls always fail', async () => {
    await keepsOthersOnTime({ kind: 'refund', call: () => Promise.reject(new Error('no')) });
  });

  it('where the handler in Postgres always fails', async () => {
    const { rows } = await keepsOthersOnTime(failing);
    const refunds = await rows.page(undefined, 1000);
    const { timers } = await rows.read(refunds.entries);
    expect(timers.filter(({ kind, attempt }) => kind === 'refund' && attempt > 0)).toHaveLength(400);
  });

  it('but not where a worker receives nothing while a call runs: the planted fault', async () => {
    const waits = (index: DueIndex, { isBusy, pause }: Faulty): IndexFaults => ({
      queue: {
        receive: async (limit, waitMs, signal) => {
          if (!isBusy()) return index.queue.receive(limit, waitMs, signal);
          await pause();
          return [];
        },
      },
    });
    await expect(keepsOthersOnTime(hanging, waits)).rejects.toThrow('others did not fire');
  });
});

describe('a lane', () => {
  /** Two pets in each home, more than a lane has room for; their settle does not end. */
  const manyPets = async (faultyStore?: (store: TimerStore) => Partial<TimerStore>) => {
    const scene = await laneScene({ kinds: [thingKind('pet', never)], ...(faultyStore && { faultyStore }) });
    const pets = spread('pet', 2600, { fromMs: scene.nowMs }).map((pet, at) => ({ ...pet, owner: `owner-${at >> 1}` }));
    await scene.engine.indexWriter.apply(await scene.rows.changeThings({ put: pets }));
    await quiet();
    return { scene, pets };
  };

  it('of things puts off their homes in which there is no room, each until its last timer, uncounted', async () => {
    // The database's time is no whole number; due times are.
    const { scene, pets } = await manyPets((store) => ({ nowMs: async (tx) => (await store.nowMs(tx)) + 0.5 }));
    const { rows, engine, index, nowMs, advance, events } = scene;
    await advance(975);
    expect(engine.lanes).toEqual([{ kind: 'pet', running: 1000, waiting: 1600 }]);
    await advance(25);
    expect(engine.lanes).toEqual([{ kind: 'pet', running: 1000, waiting: 0 }]);
    expect(events.filter(({ type }) => type === 'deferred')).toMatchObject([{ count: 1000 }, { count: 600 }]);
    const timers = await rows.listByOwners(pets.map(({ owner }) => owner));
    const held = timers.filter(({ fireAtMs }) => fireAtMs > scene.clock.nowMs());
    expect(held).toHaveLength(1600);
    expect(held.every(({ fireAtMs }) => Number.isInteger(fireAtMs))).toBe(true);
    expect(held.every(({ attempt, revision, dueAtMs }) => attempt === 0 && revision === 1 && dueAtMs === nowMs)).toBe(
      true,
    );
    const times = await index.orders.fireTimes(held.map(entryOf));
    for (const [owner, timers] of Map.groupBy(held, (timer) => timer.owner)) {
      const lastMs = Math.max(...timers.map(({ id }) => times.get(id) ?? 0));
      expect([owner, ...timers.map(({ fireAtMs }) => fireAtMs)]).toEqual([owner, lastMs, lastMs]);
    }
    expect(new Set(times.values()).size).toBeGreaterThan(500);
  });

  it('of things whose homes cannot be held brings them again in half a second', async () => {
    const { scene } = await manyPets(() => ({ hold: () => Promise.reject(new Error('connection lost')) }));
    await scene.advance(1000);
    expect(scene.events).toContainEqual({ type: 'requeued', reason: 'world-fault', count: 1000 });
    const entries = await scene.index.orders.between(0, 2 ** 42, 2000);
    expect(entries.map(({ fireAtMs }) => fireAtMs)).toEqual(Array(1600).fill(scene.clock.nowMs() + 500));
  });

  it('of quick calls defers nothing: a thousand go through sixteen slots', async () => {
    let calls = 0;
    const call = async () => {
      calls += 1;
    };
    const { timers, nowMs, advance, events } = await laneScene({ kinds: [{ kind: 'mail', call }] });
    await timers.schedule(spread('mail', 1000, { fromMs: nowMs }));
    await advance(100);
    expect(calls).toBe(1000);
    expect(events.filter(({ type }) => type === 'deferred')).toEqual([]);
  });

  it('counts lateness from the due time through deferrals and claims', async () => {
    let isWell = false;
    const call = () => (isWell ? Promise.resolve('paid') : never());
    const { timers, nowMs, advance, events } = await laneScene({ kinds: [{ kind: 'refund', call, timeoutMs: 3000 }] });
    await timers.schedule(spread('refund', 20, { fromMs: nowMs }));
    await advance(2000);
    isWell = true;
    await advance(40_000);
    const fired = events.flatMap((event) =>
      event.type === 'fired' ? event.timers.map((timer) => ({ timer, nowMs: event.nowMs })) : [],
    );
    expect(fired).toHaveLength(20);
    const first = fired.filter(({ timer }) => timer.attempt === 0);
    expect(first).toHaveLength(4);
    const lateMs = first.map(({ timer, nowMs }) => nowMs - Math.max(timer.dueAtMs, timer.updatedAtMs));
    expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(2000);
  });
});

it('a kind that fails slowly gives the connection back: another kind fires two seconds late at most', async () => {
  const lateMs: number[] = [];
  const slow: FireKind = {
    kind: 'refund',
    fire: () => new Promise((_, reject) => scene.clock.after(100, () => reject(new Error('no')))),
  };
  const reminder: FireKind = {
    kind: 'reminder',
    fire: async (timers) => {
      for (const { dueAtMs } of timers) lateMs.push(scene.clock.nowMs() - dueAtMs);
      return undefined;
    },
  };
  const scene = await laneScene({ kinds: [slow, reminder], fireConnections: 1 });
  await scene.timers.schedule([
    ...spread('refund', 400, { fromMs: scene.nowMs + 1000 }),
    ...spread('reminder', 20, { fromMs: scene.nowMs + 1100, spanMs: 9000 }),
  ]);
  await scene.advance(15_000);
  expect(lateMs).toHaveLength(20);
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(2100);
});
