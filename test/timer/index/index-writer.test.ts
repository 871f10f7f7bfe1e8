import { expect, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { IndexUnavailable } from '../../../server/timer/index/due-index.ts';
import { IndexWriter } from '../../../server/timer/index/index-writer.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { beginGeneration, countOf } from '../../support/engine/due-index.ts';
import { sabotagedIndex } from '../../support/engine/sabotaged.ts';

const NOW_MS = 1_790_000_000_000;

const entry = (timerId: number, { revision = 1, owner = 'ann' } = {}): IndexEntry => ({
  timerId: String(timerId),
  owner,
  fireAtMs: NOW_MS + 60_000,
  revision,
});
const put = (...entries: readonly IndexEntry[]) => ({ put: entries, remove: [] });
const remove = (...entries: readonly IndexEntry[]) => ({ put: [], remove: entries });
const many = (count: number, from = 1) => put(...Array.from({ length: count }, (_, at) => entry(from + at)));

/** A writer on an index with puts that wait for `go`, or fail with `state.error`. */
const makeScene = async () => {
  const index = new MemoryDueIndex(new ManualClock(NOW_MS));
  await beginGeneration(index);
  const state = { isAvailable: true, error: undefined as Error | undefined };
  const batches: number[] = [];
  const held: (() => void)[] = [];
  let isHolding = false;
  const faulty = sabotagedIndex(index, {
    orders: {
      put: async (entries) => {
        batches.push(entries.length);
        if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
        if (state.error) throw state.error;
        return index.orders.put(entries);
      },
    },
  });
  const seen = new Proxy(faulty, {
    get: (target, name) => (name === 'isAvailable' ? state.isAvailable : Reflect.get(target, name)),
  });
  const missed: string[] = [];
  const faults: unknown[] = [];
  const writer = new IndexWriter({
    index: seen,
    onMissed: (owners) => missed.push(...owners),
    onFault: (error) => faults.push(error),
  });
  const hold = (): void => {
    isHolding = true;
  };
  /** The batch that is being sent arrives. */
  const go = async (): Promise<void> => {
    held.shift()?.();
    await turn();
  };
  const letAll = (): void => {
    isHolding = false;
    for (const resolve of held.splice(0)) resolve();
  };
  const has = async () => (await index.orders.listByOwner('ann')).map(({ timerId }) => timerId).sort();
  return { index, writer, state, batches, missed, faults, hold, go, letAll, has };
};

const turn = () => new Promise(setImmediate);

/** Whether a promise is still open after a turn of the event loop. */
const isOpen = async (promise: Promise<unknown>): Promise<boolean> => {
  let open = true;
  void promise.then(() => {
    open = false;
  });
  await turn();
  return open;
};

it('sends at once what comes alone, and what comes meanwhile with the next batch', async () => {
  const { writer, batches, hold, go, letAll, has } = await makeScene();
  hold();
  writer.publish(put(entry(1)));
  writer.publish(put(entry(2)));
  await turn();
  expect(batches).toEqual([2]);
  writer.publish(put(entry(3)));
  writer.publish(put(entry(4)));
  await turn();
  expect(batches).toEqual([2]);
  await go();
  expect(batches).toEqual([2, 2]);
  letAll();
  await writer.idle();
  expect(await has()).toEqual(['1', '2', '3', '4']);
});

it('keeps the order of what is published, a removal before its timer comes again included', async () => {
  const { index, writer } = await makeScene();
  writer.publish(put(entry(1)));
  writer.publish(remove(entry(1, { revision: 2 })));
  writer.publish(put(entry(2, { revision: 1 })));
  writer.publish(remove(entry(2, { revision: 2 })));
  writer.publish(put(entry(2, { revision: 3 })));
  await writer.idle();
  expect((await index.orders.listByOwner('ann')).map(({ timerId }) => timerId)).toEqual(['2']);
});

it('sends batches of a thousand updates; a larger call stays whole', async () => {
  const { writer, batches, hold, go, letAll } = await makeScene();
  hold();
  writer.publish(put(entry(1)));
  await turn();
  for (let call = 0; call < 3; call += 1) writer.publish(many(400, 10 + call * 400));
  writer.publish(many(1500, 2000));
  for (let batch = 0; batch < 3; batch += 1) await go();
  letAll();
  await writer.idle();
  expect(batches).toEqual([1, 800, 400, 1500]);
});

it('makes callers wait while more than ten thousand updates are queued', async () => {
  const { writer, hold, go, letAll } = await makeScene();
  hold();
  writer.publish(put(entry(1)));
  await turn();
  writer.publish(many(10_000, 2));
  expect(await isOpen(writer.room())).toBe(false);
  writer.publish(put(entry(20_000)));
  const room = writer.room();
  expect(await isOpen(room)).toBe(true);
  await go();
  expect(await isOpen(room)).toBe(false);
  letAll();
  await writer.idle();
});

it('holds a hundred thousand updates of callers that do not wait, and names the owners of more', async () => {
  const { writer, missed, hold, letAll } = await makeScene();
  hold();
  writer.publish(put(entry(1)));
  await turn();
  writer.publish(many(100_000, 2));
  writer.publish(put(entry(200_000)));
  expect(missed).toEqual([]);
  writer.publish(put(entry(200_001, { owner: 'bob' })));
  expect(missed).toEqual(['bob']);
  letAll();
  await writer.idle();
});

it('queues nothing while the index is away, and names the owners', async () => {
  const { index, writer, state, batches, missed } = await makeScene();
  state.isAvailable = false;
  writer.publish(many(20_000));
  writer.publish(put(entry(30_000, { owner: 'bob' })));
  expect(await isOpen(writer.room())).toBe(false);
  await writer.apply(remove(entry(1, { owner: 'cid' })));
  expect(missed).toEqual(['ann', 'bob', 'cid']);
  expect(batches).toEqual([]);
  expect(await countOf(index)).toBe(0);
});

it('loses with a failed batch all that is queued, names the owners, and lets callers go on', async () => {
  const { writer, state, missed, hold, letAll } = await makeScene();
  hold();
  writer.publish(put(entry(1)));
  await turn();
  writer.publish(many(12_000, 2));
  writer.publish(put(entry(20_000, { owner: 'bob' })));
  const room = writer.room();
  expect(await isOpen(room)).toBe(true);
  state.error = new IndexUnavailable(new Error('down'));
  letAll();
  await room;
  await writer.idle();
  expect([...new Set(missed)]).toEqual(['ann', 'bob']);
});

it('names the owners of a batch that failed for another reason, says so, and sends the next', async () => {
  const { writer, state, missed, faults, hold, go, letAll, has } = await makeScene();
  hold();
  state.error = new Error('out of memory');
  writer.publish(put(entry(1)));
  await turn();
  writer.publish(put(entry(2)));
  letAll();
  await go();
  state.error = undefined;
  writer.publish(put(entry(3)));
  await writer.idle();
  expect(missed).toContain('ann');
  expect(faults[0]).toEqual(new Error('out of memory'));
  expect(await has()).toContain('3');
});

it('waits for the index with `apply`, and throws what is no outage', async () => {
  const { writer, state, missed, has } = await makeScene();
  await writer.apply(put(entry(1)));
  expect(await has()).toEqual(['1']);
  state.error = new IndexUnavailable(new Error('down'));
  await writer.apply(put(entry(2)));
  expect(missed).toEqual(['ann']);
  state.error = new Error('out of memory');
  await expect(writer.apply(put(entry(3)))).rejects.toThrow('out of memory');
});

it('reports the owners of a put that is refused twice: the refill may have passed their rows', async () => {
  const missed: string[] = [];
  let looks = 0;
  const put = async () => false;
  const writer = new IndexWriter({
    index: { isAvailable: true, orders: { put } as never },
    look: async () => {
      looks += 1;
    },
    onMissed: (owners) => missed.push(...owners),
  });
  writer.publish({ put: [entry(1), entry(2, { owner: 'bob' })], remove: [] });
  await writer.idle();
  expect({ looks, missed }).toEqual({ looks: 1, missed: ['ann', 'bob'] });
});
