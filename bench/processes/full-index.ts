// Fills the index in memory, then adds, moves and fires timers, and finds the longest stall.
import { parentPort, workerData } from 'node:worker_threads';
import { MemoryDueOrders } from '../../server/adapter/memory/memory-due-orders.ts';
import type { IndexEntry } from '../../server/timer/model/index-entry.ts';
import { randomFrom } from '../../shared/random-from.ts';
import { collectGarbage, memoryBytes } from '../harness/memory.ts';
import type { FullIndex } from './in-own-thread.ts';

const HOUR_MS = 3_600_000;
/** At its multiples the wheel spreads its widest slot that has timers here. */
const WIDEST_MS = 2 ** 24;
const POP_LIMIT = 1000;
const { pending, timersEach, steps } = workerData as FullIndex;

const random = randomFrom(1);
let nowMs = 1_790_000_000_000;

const entry = (id: number, fireAtMs: number, revision: number): IndexEntry => ({
  timerId: String(id),
  owner: `owner-${Math.floor(id / timersEach)}`,
  fireAtMs,
  revision,
});

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
};

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
parentPort?.postMessage({ longest: longestMs, collection: collectionMs, bytes, cascade: cascadeMs });
