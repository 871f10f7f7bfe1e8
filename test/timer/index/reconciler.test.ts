import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { StoreClock } from '../../../server/timer/clock/store-clock.ts';
import { Reconciler } from '../../../server/timer/index/reconciler.ts';
import type { EngineMeasurement } from '../../../server/timer/model/engine-event.ts';
import { entryOf } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { beginGeneration, countOf } from '../../support/engine/due-index.ts';
import { FakeTimerStore } from '../../support/fake-database/fake-timer-store.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

let scene: ReturnType<typeof makeScene>;

const makeScene = () => {
  const clock = new ManualClock(NOW_MS);
  const store = new FakeTimerStore(clock.nowMs);
  const index = new MemoryDueIndex(clock);
  const events: EngineMeasurement[] = [];
  let isIndexWhole = true;
  const reconciler = new Reconciler({
    store,
    index,
    storeClock: new StoreClock(store, clock),
    observe: (event) => events.push(event),
    isIndexWhole: () => isIndexWhole,
  });
  const schedule = async (delaysMs: readonly number[]): Promise<readonly Timer[]> => {
    const wanted = delaysMs.map((delayMs, at) => ({
      kind: 'order',
      subject: `${at}`,
      owner: `player-${at % 3}`,
      delayMs,
    }));
    const done = await store.schedule(wanted.map(({ delayMs, ...rest }) => ({ ...rest, dueAtMs: NOW_MS + delayMs })));
    return done.map(({ timer }) => timer);
  };
  const lose = (): void => {
    isIndexWhole = false;
  };
  return { clock, store, index, events, reconciler, schedule, lose };
};

beforeEach(async () => {
  scene = makeScene();
  await beginGeneration(scene.index);
});

it('finds nothing to do where rows and index agree', async () => {
  const timers = await scene.schedule([5000, 70_000, HOUR_MS]);
  await scene.index.orders.put(timers.map(entryOf));
  const between = vi.spyOn(scene.index.orders, 'between');
  await scene.reconciler.tick();
  expect(scene.events).toEqual([]);
  expect(between, 'entries are read where their number is another').not.toHaveBeenCalled();
});

it('adds what the index lacks, near and far', async () => {
  await scene.schedule([5000, 70_000, HOUR_MS]);
  await scene.reconciler.tick();
  expect(await countOf(scene.index)).toBe(3);
  expect(scene.events.reduce((sum, event) => sum + (event.type === 'reconciled' ? event.missing : 0), 0)).toBe(3);
});

it('moves what the index has at another time', async () => {
  const timers = await scene.schedule([5000, HOUR_MS]);
  await scene.index.orders.put(timers.map((timer) => ({ ...entryOf(timer), fireAtMs: timer.fireAtMs + 7 })));
  await scene.reconciler.tick();
  expect(await scene.index.orders.listByOwner('player-0')).toMatchObject([
    { timerId: timers[0]?.id, fireAtMs: NOW_MS + 5000 },
  ]);
  expect(await scene.index.orders.listByOwner('player-1')).toMatchObject([
    { timerId: timers[1]?.id, fireAtMs: NOW_MS + HOUR_MS },
  ]);
});

it('removes what has no scheduled row, also where nobody has', async () => {
  const timers = await scene.schedule([5000, HOUR_MS]);
  await scene.index.orders.put([
    ...timers.map(entryOf),
    { timerId: '99', owner: 'x', fireAtMs: NOW_MS + HOUR_MS, revision: 9 },
  ]);
  await scene.store.changeByOwner({ owners: ['player-0', 'player-1'], change: 'cancel' }, []);
  await scene.reconciler.tick();
  expect(await countOf(scene.index)).toBe(0);
  expect(scene.events.reduce((sum, event) => sum + (event.type === 'reconciled' ? event.ghosts : 0), 0)).toBe(3);
});

it('leaves alone what is due or about to be: it may be on its way', async () => {
  await scene.schedule([-5000, 0, 500]);
  await scene.reconciler.tick();
  expect(await countOf(scene.index)).toBe(0);
});

it('waits while the index is away or refilled', async () => {
  await scene.schedule([5000]);
  scene.lose();
  await scene.reconciler.tick();
  expect(await countOf(scene.index)).toBe(0);
});

it('gets through more far timers than a turn reads, all instants but the last of 5,000, with one look for what has no row', async () => {
  await scene.schedule(Array.from({ length: 12_000 }, (_, at) => HOUR_MS + at));
  // A look may walk all that waits.
  const count = vi.spyOn(scene.index.orders, 'countBetween');
  const looks = () => count.mock.calls.filter(([fromMs]) => fromMs >= NOW_MS + 60_000).length;
  const turns: unknown[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await scene.reconciler.tick();
    turns.push({ count: await countOf(scene.index), looks: looks() });
  }
  expect(turns).toEqual([
    { count: 4999, looks: 1 },
    { count: 9998, looks: 2 },
    { count: 12_000, looks: 3 },
  ]);
});

it('says what it found before it heals, and only then that it has', async () => {
  await scene.schedule([5000]);
  const put = scene.index.orders.put.bind(scene.index.orders);
  scene.index.orders.put = () => Promise.reject(new Error('away'));
  await expect(scene.reconciler.tick()).rejects.toThrow('away');
  expect(scene.events).toEqual([{ type: 'differing', missing: 1, misplaced: 0, ghosts: 0 }]);
  scene.index.orders.put = put;
  await scene.reconciler.tick();
  expect(scene.events.map(({ type }) => type)).toEqual(['differing', 'differing', 'reconciled']);
});

describe('a herd due at one instant, of more timers than a page has', () => {
  const herd = 12_000;

  it('is no reason to read rows again, one by one', async () => {
    const timers = await scene.schedule(Array.from({ length: herd }, () => HOUR_MS));
    await scene.index.orders.put(timers.map(entryOf));
    const read = vi.spyOn(scene.store, 'read');
    for (let turn = 0; turn < 4; turn += 1) await scene.reconciler.tick();
    expect(read).not.toHaveBeenCalled();
    expect(scene.events).toEqual([]);
  });

  it.each([30_000, HOUR_MS])('gets what the index lacks of it, due in %s ms', async (delayMs) => {
    const timers = await scene.schedule(Array.from({ length: herd }, () => delayMs));
    await scene.index.orders.put(timers.filter((_, at) => at % 4000 !== 7).map(entryOf));
    for (let turn = 0; turn < 4; turn += 1) await scene.reconciler.tick();
    expect(await countOf(scene.index)).toBe(herd);
  });

  it('is read over several turns when it is near', async () => {
    // Rows of its own: the store in memory takes its time to make so many.
    const rows = Array.from({ length: 26_000 }, (_, at) => ({
      timerId: String(at + 1),
      owner: `player-${at}`,
      fireAtMs: NOW_MS + 30_000,
      revision: 1,
    }));
    const page = vi.spyOn(scene.store, 'page').mockImplementation(async (after, limit) => {
      const from = after?.fireAtMs === NOW_MS + 30_000 ? Number(after.timerId) : 0;
      const entries = (after?.fireAtMs ?? 0) > NOW_MS + 30_000 ? [] : rows.slice(from, from + limit);
      return { entries, next: entries.length < limit ? undefined : entries.at(-1) };
    });
    await scene.index.orders.put(rows);
    const turn = async () => {
      page.mockClear();
      await scene.reconciler.tick();
      const near = page.mock.calls.filter(([after]) => (after?.fireAtMs ?? 0) <= NOW_MS + 30_000);
      return { pages: near.length, from: near[0]?.[0]?.timerId, mostRows: Math.max(...near.map(([, limit]) => limit)) };
    };
    expect(await turn()).toEqual({ pages: 40, from: '0', mostRows: 500 });
    expect(await turn()).toEqual({ pages: 13, from: '20000', mostRows: 500 });
    expect(await turn()).toEqual({ pages: 40, from: '0', mostRows: 500 });
  });
});
