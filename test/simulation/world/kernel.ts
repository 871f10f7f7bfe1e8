import { type Random, randomOf } from '../../chaos/play/random.ts';

interface Happening {
  readonly atMs: number;
  readonly order: number;
  happen: (() => void) | undefined;
}

/** A history has some thousand. */
const STEPS_A_TURN = 500;

/** Every history begins at this instant, epoch milliseconds. */
export const START_MS = 1_790_000_000_000;

/**
 * Virtual time. Everything that would take time in the world is a happening here; the next one begins when nothing is
 * left to do for the one before. With the same seed all comes in the same order.
 */
export class Kernel {
  readonly random: Random;
  #nowMs = START_MS;
  #order = 0;
  #happened = 0;
  #traceHash = 0x811c9dc5;
  readonly #heap: Happening[] = [];

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  /** Epoch milliseconds, not whole: several things happen within one. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Of everything that happened so far, in order: equal runs have equal ones. */
  get traceHash(): number {
    return this.#traceHash;
  }

  /** How many things happened. */
  get steps(): number {
    return this.#order;
  }

  /** The answer takes it back. */
  after(delayMs: number, happen: () => void): () => void {
    this.#order += 1;
    const happening: Happening = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order, happen };
    push(this.#heap, happening);
    return () => {
      happening.happen = undefined;
    };
  }

  /** Resolves after a while. */
  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve));
  }

  /** Adds to the trace. */
  note(what: string): void {
    for (let at = 0; at < what.length; at += 1) {
      this.#traceHash = Math.imul(this.#traceHash ^ what.charCodeAt(at), 0x01000193) >>> 0;
    }
  }

  /** Lets happen what happens before `untilMs`. */
  async run(untilMs: number): Promise<void> {
    await turnOfTheLoop();
    for (let next = this.#heap[0]; next !== undefined && next.atMs < untilMs; next = this.#heap[0]) {
      pop(this.#heap);
      if (next.happen === undefined) continue;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.happen();
      this.#happened += 1;
      await (this.#happened % STEPS_A_TURN === 0 ? turnOfTheLoop() : settled());
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }
}

/** All promises that could go on have gone on: a tick begins when no reaction of a promise is left to run. */
const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** The same, and the world outside gets its turn: the time-outs of tests, and the report of a rejection that nothing handles. Slower. */
const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const isBefore = (left: Happening, right: Happening): boolean =>
  left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);

const push = (heap: Happening[], happening: Happening): void => {
  let at = heap.push(happening) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(happening, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = happening;
};

const pop = (heap: Happening[]): void => {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let below = at * 2 + 1;
    const left = heap[below];
    if (left === undefined) break;
    const right = heap[below + 1];
    let child = left;
    if (right !== undefined && isBefore(right, left)) {
      child = right;
      below += 1;
    }
    if (!isBefore(child, last)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
};
