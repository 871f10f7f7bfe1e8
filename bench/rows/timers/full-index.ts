import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { MemoryDueOrders } from '../../../server/adapter/memory/memory-due-orders.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { randomFrom } from '../../../shared/random-from.ts';
import { collectGarbage, memoryBytes } from '../../harness/memory.ts';
import { inOwnThread } from '../../harness/own-thread.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { MANY, MANY_TEXT } from '../../timers/many.ts';

const TEN = 'ten timers an owner';
const ONE = 'one timer an owner';

/** Whether timers in memory stall a process: by a growing map, or by objects that V8 must walk. */
export const fullIndex: Row = {
  name: 'full-index',
  about: `The index in memory with ${MANY_TEXT} timers pending: the longest of 6,000 steps in which 20 timers come, 20 move and 20 fall due; a full collection of garbage; memory a timer. Cascade: the step in which the wheel spreads its widest slot, which has almost half of all timers.`,
  rounds: 5,
  figures: [...inUnit('ms', 'longest', 'collection'), { name: 'bytes', unit: 'B' }, { name: 'cascade', unit: 'ms' }],
  targets: [
    { of: TEN, figure: 'longest', atMost: 12 },
    { of: TEN, figure: 'collection', atMost: 50 },
    { of: TEN, figure: 'bytes', atMost: 120 },
  ],
  prepare: async ({ isQuick }) => {
    const pending = isQuick ? MANY / 10 : MANY;
    const of = (timersEach: number) => () => fullIndexInOwnThread({ pending, timersEach, steps: 6000 });
    return {
      contenders: [
        { name: TEN, measure: of(10) },
        { name: ONE, measure: of(1) },
      ],
    };
  },
};

interface FullIndex {
  readonly pending: number;
  readonly timersEach: number;
  /** Steps of 20 ms of the index's time; in each step 20 timers are added, 20 move and 20 come due. */
  readonly steps: number;
}

export const fullIndexInOwnThread = (sizes: FullIndex): Promise<Sample> => inOwnThread(import.meta.filename, sizes);

const HOUR_MS = 3_600_000;
/** At its multiples the wheel spreads its widest slot that has timers here. */
const WIDEST_MS = 2 ** 24;
const POP_LIMIT = 1000;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
};

/** Fills the index in memory, then adds, moves and fires timers, and finds the longest stall. */
const measure = async ({ pending, timersEach, steps }: FullIndex): Promise<Sample> => {
  const random = randomFrom(1);
  let nowMs = 1_790_000_000_000;

  const entry = (id: number, fireAtMs: number, revision: number): IndexEntry => ({
    timerId: String(id),
    owner: `owner-${Math.floor(id / timersEach)}`,
    fireAtMs,
    revision,
  });

  const before = await memoryBytes();
  const orders = new MemoryDueOrders({
    clock: { nowMs: () => nowMs },
    isOpen: () => true,
    onEarlierHead: () => undefined,
  });
  for (let id = 1; id <= pending; id += 1) {
    await orders.put([entry(id, nowMs + HOUR_MS + Math.floor(random() * 4 * HOUR_MS), 1)]);
  }
  const bytes = ((await memoryBytes()) - before) / pending;
  const collectionMs = await timed(async () => collectGarbage());

  let longestMs = 0;
  for (let step = 1; step <= steps; step += 1) {
    nowMs += 20;
    const tookMs = await timed(async () => {
      for (let each = 0; each < 20; each += 1) {
        await orders.put([entry(pending + 20 * step + each, nowMs + 400, 1)]);
        await orders.put([entry(1 + Math.floor(random() * pending), nowMs + HOUR_MS, 1 + (step % 1000))]);
      }
      orders.popDue(nowMs, POP_LIMIT);
    });
    longestMs = Math.max(longestMs, tookMs);
  }

  nowMs = Math.ceil((nowMs + 1) / WIDEST_MS) * WIDEST_MS;
  while (orders.popDue(nowMs - 1, POP_LIMIT).length > 0);
  const cascadeMs = await timed(async () => orders.popDue(nowMs, POP_LIMIT));
  return { longest: longestMs, collection: collectionMs, bytes, cascade: cascadeMs };
};

if (!isMainThread) parentPort?.postMessage(await measure(workerData as FullIndex));
