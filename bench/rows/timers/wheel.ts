import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { Wheel } from '../../../server/timer/wheel/wheel.ts';
import { randomFrom } from '../../../shared/random-from.ts';
import { memoryBytes } from '../../harness/memory.ts';
import { inOwnThread } from '../../harness/own-thread.ts';
import { type Guarded, inUnit, type Row, type Sample, type Target } from '../../harness/row.ts';
import { BinaryHeap, type HeapEntry } from '../../timers/binary-heap.ts';

const WHEEL = 'timing wheel';
const HEAP = 'binary heap';
/** The total number of timers for each operation. */
const OPERATIONS = { quick: 100_000, full: 400_000 };

/** Whether the wheel is worth its code. */
const wheelRow = (name: string, pending: number, targets: readonly Target[]): Row => ({
  name,
  about: `The timing wheel against a binary heap with ${pending.toLocaleString('en')} timers pending, due within 8 h: operations a second, and the memory of a timer beside its id and handle.`,
  rounds: 5,
  figures: [...inUnit('/s', 'insert', 'move', 'cancel', 'fire'), { name: 'bytes', unit: 'B' }],
  targets,
  // With few pending timers the operations differ by less than the noise.
  ...(targets.length === 0 ? {} : { quick: { rounds: 3, guarded } }),
  prepare: async ({ isQuick }) => {
    const cycles = Math.ceil(OPERATIONS[isQuick ? 'quick' : 'full'] / (pending / 10));
    return {
      contenders: [
        { name: WHEEL, measure: () => inOwnThread(import.meta.filename, { queue: 'wheel', pending, cycles }) },
        { name: HEAP, measure: () => inOwnThread(import.meta.filename, { queue: 'heap', pending, cycles }) },
      ],
    };
  },
});

const guarded: readonly Guarded[] = [
  ...['insert', 'move', 'cancel', 'fire'].map(
    (figure): Guarded => ({ of: WHEEL, figure, against: HEAP, better: 'more' }),
  ),
  { of: WHEEL, figure: 'bytes', better: 'less' },
];

/** The wheel is for many timers: with few, both are quick enough. */
const atOneMillion: readonly Target[] = [
  { of: WHEEL, figure: 'insert', against: HEAP, atLeast: 1 },
  { of: WHEEL, figure: 'move', against: HEAP, atLeast: 2 },
  { of: WHEEL, figure: 'cancel', against: HEAP, atLeast: 2 },
  { of: WHEEL, figure: 'fire', against: HEAP, atLeast: 2 },
  { of: WHEEL, figure: 'bytes', atMost: 120 },
];

export const wheelRows: readonly Row[] = [
  wheelRow('wheel-10k', 10_000, []),
  wheelRow('wheel-1m', 1_000_000, atOneMillion),
];

const START_MS = 1_790_000_000_000;
const SPREAD_MS = 8 * 3_600_000;
/** Each operation runs on this share of the pending timers between two clock reads. */
const SHARE = 0.1;

type MakeQueue<Handle> = (nowMs: number) => TimerQueue<Handle>;

/**
 * Fills a queue with timers due within eight hours, then inserts, moves, cancels and fires a tenth of them, again and
 * again. Fired timers are refilled outside of the measurement.
 */
const exercise = async <Handle>(makeQueue: MakeQueue<Handle>, pending: number, cycles: number): Promise<Sample> => {
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

/** Without handles, which each user of a queue stores beside the ids. */
const bytesOfTimer = async <Handle>(makeQueue: MakeQueue<Handle>, pending: number): Promise<number> => {
  const random = randomFrom(2);
  const before = await memoryBytes();
  const queue = makeQueue(START_MS);
  for (let id = 0; id < pending; id += 1) queue.insert(id, laterThan(START_MS, random));
  const bytes = ((await memoryBytes()) - before) / pending;
  // Used once more, so that it stays alive until here.
  queue.fireNext(() => undefined);
  return bytes;
};

/** Shuffles until the first `count` are a random choice. */
const chooseFirst = (ids: number[], count: number, random: () => number): readonly number[] => {
  for (let at = 0; at < count; at += 1) {
    const other = at + Math.floor(random() * (ids.length - at));
    const chosen = ids[other] ?? 0;
    ids[other] = ids[at] ?? 0;
    ids[at] = chosen;
  }
  return ids.slice(0, count);
};

/** A queue and its timers' handles, by small ids that are reused. */
class Timers<Handle> {
  readonly #queue: TimerQueue<Handle>;
  readonly #handles: Handle[] = [];
  nowMs: number;

  constructor(queue: TimerQueue<Handle>, nowMs: number) {
    this.#queue = queue;
    this.nowMs = nowMs;
  }

  insert(ids: readonly number[], fireAtMs: Float64Array): void {
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      this.#handles[id] = this.#queue.insert(id, fireAtMs[at] ?? 0);
    }
  }

  move(ids: readonly number[], fireAtMs: Float64Array): void {
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      const handle = this.#handles[id];
      if (handle !== undefined) this.#handles[id] = this.#queue.move(handle, fireAtMs[at] ?? 0);
    }
  }

  cancel(ids: readonly number[]): void {
    for (const id of ids) {
      const handle = this.#handles[id];
      if (handle !== undefined) this.#queue.cancel(handle);
    }
  }

  /** Advances the time until at least `count` have fired, and returns them. */
  fire(count: number): number[] {
    const fired: number[] = [];
    while (fired.length < count) this.nowMs = this.#queue.fireNext((id) => fired.push(id));
    return fired;
  }
}

/** The common part of wheel and heap; the caller stores each timer's handle. */
interface TimerQueue<Handle> {
  insert(id: number, fireAtMs: number): Handle;
  move(handle: Handle, fireAtMs: number): Handle;
  cancel(handle: Handle): void;
  /** Goes to the next fire time, as a dispatcher does, removes all due timers, and returns the time. */
  fireNext(onFired: (id: number) => void): number;
}

const wheelQueue = (nowMs: number): TimerQueue<number> => {
  const wheel = new Wheel(nowMs);
  return {
    insert: (id, fireAtMs) => wheel.insert(id, fireAtMs),
    move: (handle, fireAtMs) => wheel.move(handle, fireAtMs),
    cancel: (handle) => wheel.cancel(handle),
    fireNext: (onFired) => {
      const nextMs = wheel.nextFireAtMs() ?? Number.NaN;
      for (let handle = wheel.pop(nextMs); handle !== -1; handle = wheel.pop(nextMs)) onFired(wheel.idOf(handle));
      return nextMs;
    },
  };
};

const heapQueue = (): TimerQueue<HeapEntry> => {
  const heap = new BinaryHeap();
  return {
    insert: (id, fireAtMs) => heap.insert(id, fireAtMs),
    move: (entry, fireAtMs) => {
      heap.move(entry, fireAtMs);
      return entry;
    },
    cancel: (entry) => heap.cancel(entry),
    fireNext: (onFired) => {
      const nextMs = heap.nextFireAtMs() ?? Number.NaN;
      for (let entry = heap.pop(nextMs); entry !== undefined; entry = heap.pop(nextMs)) onFired(entry.id);
      return nextMs;
    },
  };
};

/** Adds up durations. */
class Watch {
  #count = 0;
  #ms = 0;

  /** `work` does the thing `count` times. */
  time<Answer>(count: number, work: () => Answer): Answer {
    const startedAtMs = performance.now();
    const answer = work();
    this.#ms += performance.now() - startedAtMs;
    this.#count += count;
    return answer;
  }

  get perSec(): number {
    return (this.#count / this.#ms) * 1000;
  }
}

interface Exercise {
  readonly queue: 'wheel' | 'heap';
  readonly pending: number;
  readonly cycles: number;
}

if (!isMainThread) {
  const { queue, pending, cycles } = workerData as Exercise;
  const own = queue === 'wheel' ? exercise(wheelQueue, pending, cycles) : exercise(heapQueue, pending, cycles);
  parentPort?.postMessage(await own);
}
