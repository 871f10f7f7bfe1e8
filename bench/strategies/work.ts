import { randomFrom } from '../../shared/random-from.ts';
import type { Item, Strategy } from './systems/strategy.ts';

/** Timers in a call, and calls on their way at once. */
const A_CALL = 100;
const FILL_A_CALL = 1_000;
const LANES = 4;
const FAR_MS = 4 * 3_600_000;

/** When the timers are due that only wait, by id: in four to eight hours. */
export const farDueTimes = (count: number): Float64Array => {
  const random = randomFrom(8);
  const startMs = Date.now() + FAR_MS;
  return Float64Array.from({ length: count }, () => startMs + Math.floor(random() * FAR_MS));
};

export const calls = <Each>(items: readonly Each[], call: (part: readonly Each[]) => Promise<void>): Promise<void> =>
  inParts(items.length, A_CALL, (from, to) => call(items.slice(from, to)));

/** Without a list of all of them, whose memory would count. */
export const fill = (strategy: Strategy, dueAtMs: Float64Array): Promise<void> =>
  inParts(dueAtMs.length, FILL_A_CALL, (from, to) =>
    strategy.schedule(Array.from(dueAtMs.subarray(from, to), (atMs, at): Item => ({ id: from + at, dueAtMs: atMs }))),
  );

const inParts = async (count: number, size: number, work: (from: number, to: number) => Promise<void>) => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next += size;
      await work(from, Math.min(count, from + size));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
};
