import { randomFrom } from '../../shared/random-from.ts';
import type { Sample } from '../harness/row.ts';
import { memoryBytes } from './memory.ts';
import type { TimerQueue } from './timer-queue.ts';
import { Timers } from './timers.ts';
import { Watch } from './watch.ts';

const START_MS = 1_790_000_000_000;
const SPREAD_MS = 8 * 3_600_000;
/** Each operation is done to this share of the pending timers between two looks at the clock. */
const SHARE = 0.1;

type MakeQueue<Handle> = (nowMs: number) => TimerQueue<Handle>;

/**
 * Fills a queue with timers due within eight hours, then inserts, moves, cancels and fires a tenth of them, again and
 * again; what fired is refilled outside of the measurement.
 */
export const exercise = async <Handle>(
  makeQueue: MakeQueue<Handle>,
  pending: number,
  cycles: number,
): Promise<Sample> => {
  const bytes = await bytesOfTimer(makeQueue, pending);
  const count = Math.round(pending * SHARE);
  const random = randomFrom(1);
  const timers = new Timers(makeQueue(START_MS), START_MS);
  const times = (size: number) => Float64Array.from({ length: size }, () => laterThan(timers.nowMs, random));
  const ids = Array.from({ length: pending + count }, (_, id) => id);
  let free = ids.slice(pending);
  timers.insert(ids.slice(0, pending), times(pending));

  let watches = newWatches();
  for (let cycle = 0; cycle <= cycles; cycle += 1) {
    // The first cycle is for the compiler.
    if (cycle === 1) watches = newWatches();
    const fresh = times(count);
    watches.insert.time(count, () => timers.insert(free, fresh));
    const moved = chooseFirst(ids, count, random);
    const movedTo = times(count);
    watches.move.time(count, () => timers.move(moved, movedTo));
    const cancelled = chooseFirst(ids, count, random);
    watches.cancel.time(count, () => timers.cancel(cancelled));
    const fired = watches.fire.time(count, () => timers.fire(count));
    free = [...cancelled, ...fired];
    const refilled = free.splice(count);
    timers.insert(refilled, times(refilled.length));
  }
  const rates = Object.entries(watches).map(([operation, watch]) => [operation, watch.perSec]);
  return { ...Object.fromEntries(rates), bytes };
};

const laterThan = (nowMs: number, random: () => number): number => nowMs + 1 + Math.floor(random() * SPREAD_MS);

const newWatches = () => ({ insert: new Watch(), move: new Watch(), cancel: new Watch(), fire: new Watch() });

/** Without handles: whoever uses a queue keeps those beside the ids. */
const bytesOfTimer = async <Handle>(makeQueue: MakeQueue<Handle>, pending: number): Promise<number> => {
  const random = randomFrom(2);
  const before = await memoryBytes();
  const queue = makeQueue(START_MS);
  for (let id = 0; id < pending; id += 1) queue.insert(id, laterThan(START_MS, random));
  const bytes = ((await memoryBytes()) - before) / pending;
  // Used once more, so that it lives until here.
  queue.fireNext(() => undefined);
  return bytes;
};

/** Shuffles so far that the first `count` are a random choice. */
const chooseFirst = (ids: number[], count: number, random: () => number): readonly number[] => {
  for (let at = 0; at < count; at += 1) {
    const other = at + Math.floor(random() * (ids.length - at));
    const chosen = ids[other] ?? 0;
    ids[other] = ids[at] ?? 0;
    ids[at] = chosen;
  }
  return ids.slice(0, count);
};
