import { setTimeout as sleep } from 'node:timers/promises';
import type { Sample } from './row.ts';
import { quantiles } from './spread.ts';

export interface Load {
  readonly inFlight: number;
  /** Not counted. */
  readonly warmUpMs: number;
  readonly lastsMs: number;
}

/** A rate and milliseconds. */
export interface LoadResult extends Sample {
  readonly perSec: number;
  readonly p50: number;
  readonly p99: number;
}

/** Keeps `inFlight` calls open: each reply starts the next call at once. */
export const underLoad = async (load: Load, call: (number: number) => Promise<void>): Promise<LoadResult> => {
  const { inFlight, warmUpMs, lastsMs } = load;
  const countsFromMs = performance.now() + warmUpMs;
  const endsAtMs = countsFromMs + lastsMs;
  const tookMs: number[] = [];
  let calls = 0;
  const lane = async (): Promise<void> => {
    for (let startedAtMs = performance.now(); startedAtMs < endsAtMs; ) {
      await call(calls++);
      const endedAtMs = performance.now();
      if (endedAtMs >= countsFromMs && endedAtMs < endsAtMs) tookMs.push(endedAtMs - startedAtMs);
      startedAtMs = endedAtMs;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { perSec: (tookMs.length / lastsMs) * 1000, ...quantiles(tookMs, 'p50', 'p99') };
};

/**
 * Makes one call each `everyMs` for a while, never two at once. Returns the time of each call, from its planned time to
 * its reply: so a slow call also counts for those that had to wait for it.
 */
export const atPace = async (
  everyMs: number,
  lastsMs: number,
  call: (number: number) => Promise<unknown>,
): Promise<readonly number[]> => {
  const firstAtMs = performance.now();
  const tookMs: number[] = [];
  for (let number = 0; number * everyMs < lastsMs; number += 1) {
    const plannedAtMs = firstAtMs + number * everyMs;
    await sleep(Math.max(0, plannedAtMs - performance.now()));
    await call(number);
    tookMs.push(performance.now() - plannedAtMs);
  }
  return tookMs;
};

/** Makes `count` calls, `inFlight` of them open at once. Returns microseconds a call: the time of all, divided by their number. */
export const microsACall = async (
  count: number,
  inFlight: number,
  call: (number: number) => Promise<unknown>,
): Promise<number> => {
  const startedAtMs = performance.now();
  await inLanes(count, inFlight, call);
  return ((performance.now() - startedAtMs) * 1000) / count;
};

/** The same, not measured. */
export const inLanes = async (
  count: number,
  inFlight: number,
  call: (number: number) => Promise<unknown>,
): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
};
