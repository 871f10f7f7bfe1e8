import { expect, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { Loop } from '../../../server/runtime/loop.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { IndexUnavailable } from '../../../server/timer/index/index-unavailable.ts';
import { IndexWriter } from '../../../server/timer/index/index-writer.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { beginGeneration } from '../../support/engine/begin-generation.ts';
import { countOf } from '../../support/engine/count-of.ts';
import { sabotagedIndex } from '../../support/engine/sabotaged-index.ts';
import { silentLog } from '../../support/log/silent-log.ts';

const NOW_MS = 1_790_000_000_000;

const entry = (timerId: number, { revision = 1, fireAtMs = NOW_MS + 60_000 } = {}): IndexEntry => ({
  timerId: String(timerId),
  owner: 'ann',
  fireAtMs,
  revision,
});
const put = (...entries: readonly IndexEntry[]) => ({ put: entries, remove: [] });
const remove = (...entries: readonly IndexEntry[]) => ({ put: [], remove: entries });

/** A writer with its loop, on an index that fails as long as `state.isDown`. */
const makeScene = async () => {
  const clock = new ManualClock(NOW_MS);
  const index = new MemoryDueIndex(clock);
  await beginGeneration(index);
  const state = { isDown: true, isAvailable: true, tries: 0 };
  const orDown = async <T>(work: () => Promise<T>): Promise<T> => {
    state.tries += 1;
    if (state.isDown) throw new IndexUnavailable(new Error('down'));
    return work();
  };
  const faulty = sabotagedIndex(index, {
    orders: {
      put: (entries) => orDown(() => index.orders.put(entries)),
      remove: (removals) => orDown(() => index.orders.remove(removals)),
    },
  });
  const seen = new Proxy(faulty, {
    get: (target, name) => (name === 'isAvailable' ? state.isAvailable : Reflect.get(target, name)),
  });
  const writer = new IndexWriter({ index: seen, onKept: () => loop.wake() });
  const loop = new Loop({ name: 'tell again', clock, log: silentLog, tick: writer.tick });
  loop.start();
  /** Time passes in small steps, with a turn of the event loop for what it wakes. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      clock.advance(50);
      await new Promise(setImmediate);
    }
  };
  const has = async () => (await index.orders.listByOwner('ann')).map(({ timerId }) => timerId).sort();
  return { index, writer, state, pass, has };
};

it('tells the index again of a put that failed, within five seconds after it works', async () => {
  const { writer, state, pass, has } = await makeScene();
  await writer.apply(put(entry(1), entry(2)));
  await pass(30_000);
  expect(await has()).toEqual([]);
  state.isDown = false;
  await pass(5000);
  expect(await has()).toEqual(['1', '2']);
});

it('tries seldom while nothing gets through, and not at all while the index is known to be away', async () => {
  const { writer, state, pass, has } = await makeScene();
  await writer.apply(put(entry(1)));
  await pass(60_000);
  expect(state.tries).toBeLessThan(25);
  state.isAvailable = false;
  await pass(5000);
  const { tries } = state;
  await writer.apply(put(entry(2)));
  await pass(60_000);
  expect(state.tries).toBe(tries);
  Object.assign(state, { isDown: false, isAvailable: true });
  await pass(500);
  expect(await has()).toEqual(['1', '2']);
});

it('tells the newest of several changes of one timer, whichever was kept first', async () => {
  const { index, writer, state, pass } = await makeScene();
  await writer.apply(put(entry(1, { revision: 3, fireAtMs: NOW_MS + 3000 })));
  await writer.apply(put(entry(1, { revision: 2, fireAtMs: NOW_MS + 2000 })));
  await writer.apply(put(entry(2, { revision: 2 })));
  await writer.apply(remove(entry(2, { revision: 3 })));
  state.isDown = false;
  await pass(5000);
  expect(await index.orders.listByOwner('ann')).toMatchObject([{ timerId: '1', fireAtMs: NOW_MS + 3000 }]);
});

it('removes again what it could not remove', async () => {
  const { index, writer, state, pass, has } = await makeScene();
  await index.orders.put([entry(1)]);
  await writer.apply(remove(entry(1, { revision: 2 })));
  expect(await has()).toEqual(['1']);
  state.isDown = false;
  await pass(5000);
  expect(await has()).toEqual([]);
});

it('does not bring back what was removed meanwhile', async () => {
  const { writer, state, pass, has } = await makeScene();
  await writer.apply(put(entry(1), entry(2)));
  state.isDown = false;
  await writer.apply(remove(entry(1, { revision: 2 })));
  await pass(10_000);
  expect(await has()).toEqual(['2']);
});

it('keeps ten thousand timers and no more', async () => {
  const { index, writer, state, pass } = await makeScene();
  const entries = Array.from({ length: 10_500 }, (_, at) => entry(at + 1));
  await writer.apply(put(...entries));
  state.isDown = false;
  await pass(5000);
  expect(await countOf(index)).toBe(10_000);
});
