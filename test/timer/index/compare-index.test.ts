import { beforeEach, expect, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { compareIndex, healer, type IndexDifference } from '../../../server/timer/index/compare-index.ts';
import type { EngineMeasurement } from '../../../server/timer/model/engine-event.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { beginGeneration, countOf } from '../../support/engine/due-index.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const TIMERS = 60;

/** So many timers are due at one instant, a second before the next ones. */
const makeScene = async (together = 1) => {
  const clock = new ManualClock(NOW_MS);
  const store = new FakeTimerStore(clock.nowMs);
  const index = new MemoryDueIndex(clock);
  await beginGeneration(index);
  const wanted = Array.from({ length: TIMERS }, (_, at) => ({
    subject: `${at}`,
    dueAtMs: NOW_MS + HOUR_MS + Math.floor(at / together) * 1000,
  }));
  await store.schedule(wanted.map((timer) => ({ ...timer, kind: 'order', owner: 'ann' })));
  const { entries } = await store.page(undefined, TIMERS);
  const compare = async (more: { pause?: () => Promise<unknown>; heal?: ReturnType<typeof healer> } = {}) => {
    const found: IndexDifference[] = [];
    // So small that it takes several looks.
    const comparison = { store, index, heal: undefined, page: 2, ...more };
    for await (const { differences } of compareIndex(comparison, NOW_MS)) found.push(...differences);
    return found;
  };
  return { store, index, entries, compare };
};

let scene: Awaited<ReturnType<typeof makeScene>>;
beforeEach(async () => {
  scene = await makeScene();
});

const plant = async (): Promise<void> => {
  const { index, entries } = scene;
  const [, moved] = entries;
  if (moved === undefined) throw new Error('there are sixty');
  await index.orders.put([
    ...entries.slice(2),
    { ...moved, fireAtMs: moved.fireAtMs + 7 },
    { timerId: '999999', owner: 'ghost', fireAtMs: moved.fireAtMs + 3, revision: 1 },
  ]);
};

const idsOf = (differences: readonly (IndexDifference | IndexEntry)[]) => differences.map(({ timerId }) => timerId);

it('finds what is missing, misplaced, or too much, and changes nothing', async () => {
  const { index, entries, compare } = scene;
  await plant();
  const [missing, moved] = entries;
  expect((await compare()).toSorted((one, other) => Number(one.timerId) - Number(other.timerId))).toMatchObject([
    { timerId: missing?.timerId, rowAtMs: missing?.fireAtMs, indexAtMs: undefined },
    { timerId: moved?.timerId, rowAtMs: moved?.fireAtMs, indexAtMs: (moved?.fireAtMs ?? 0) + 7 },
    { timerId: '999999', owner: 'ghost', rowAtMs: undefined, indexAtMs: (moved?.fireAtMs ?? 0) + 3 },
  ]);
  expect(await countOf(index)).toBe(TIMERS);
});

it('finds what is too much wherever it lies: before, among and after the rows, also where one instant has many', async () => {
  const { index, entries, compare } = scene;
  await index.orders.put(entries);
  const firstAtMs = NOW_MS + HOUR_MS;
  const ghosts = Array.from({ length: TIMERS + 40 }, (_, at) => ({
    timerId: String(900_000 + at),
    owner: 'ghost',
    fireAtMs: at < 40 ? firstAtMs + 30_500 : firstAtMs - 500 + (at - 40) * 1000,
    revision: 1,
  }));
  await index.orders.put(ghosts);
  let turns = 0;
  const found = new Set<string>();
  while (found.size < ghosts.length && turns < 60) {
    for (const { timerId } of await compare({ heal: healer(scene, () => undefined) })) found.add(timerId);
    turns += 1;
  }
  expect([...found].sort()).toEqual(idsOf(ghosts).sort());
  expect(turns).toBeLessThan(10);
  expect(idsOf(await index.orders.listByOwner('ann'))).toEqual(idsOf(entries));
});

it('finds what is too much at any instant in one pass, also where a look ends amid the rows of an instant', async () => {
  const { index, entries, compare } = await makeScene(3);
  await index.orders.put(entries);
  for (const fireAtMs of new Set(entries.map((entry) => entry.fireAtMs))) {
    const ghost = { timerId: '999999', owner: 'ghost', fireAtMs, revision: 1 };
    await index.orders.put([ghost]);
    expect(await compare()).toMatchObject([{ timerId: '999999', rowAtMs: undefined, indexAtMs: fireAtMs }]);
    await index.orders.remove([ghost]);
  }
});

it('finds nothing in an index that is right', async () => {
  await scene.index.orders.put(scene.entries);
  expect(await scene.compare()).toEqual([]);
});

it('does not take for a difference what is put at this very moment', async () => {
  const { index, entries, compare } = scene;
  await index.orders.put(entries.slice(0, 50));
  expect(await compare({ pause: () => index.orders.put(entries.slice(50)) })).toEqual([]);
});

it('heals what it finds when it is told to, and says what and that it did', async () => {
  const { index, entries, compare } = scene;
  const events: EngineMeasurement[] = [];
  await plant();
  await compare({ heal: healer(scene, (event) => events.push(event)) });
  const listed = await index.orders.listByOwner('ann');
  expect(idsOf(listed)).toEqual(idsOf(entries));
  expect(listed.map(({ fireAtMs }) => fireAtMs)).toEqual(entries.map(({ fireAtMs }) => fireAtMs));
  expect(await index.orders.listByOwner('ghost')).toEqual([]);
  const found = [
    { missing: 1, misplaced: 1, ghosts: 0 },
    { missing: 0, misplaced: 0, ghosts: 1 },
  ];
  expect(events).toEqual(found.flatMap((counts) => ['differing', 'reconciled'].map((type) => ({ type, ...counts }))));
  expect(await compare()).toEqual([]);
});
