import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { hash32 } from '../runtime/hash32.ts';

export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

export interface RateLimit {
  /** Takes one. Returns how long to wait, in ms, when none is left; else 0. */
  consume(key: string): Promise<number>;
  /** What `take` would return; takes none. */
  waitMs(key: string): Promise<number>;
}

/** Keys that strangers choose share a fixed number of counters; which ones is not known outside of the process. */
export interface SharedCounters {
  readonly counters: number;
  readonly seed: string;
}

/**
 * Counts in this process alone. Without `shared` each key has a counter of its own until its time is over, so then the
 * keys must be few by themselves.
 */
export const createRateLimit = ({ count, perMs }: Rate, shared?: SharedCounters): RateLimit => {
  const limiter = new RateLimiterMemory({ points: count, duration: perMs / 1_000 });
  const counterOf = (key: string): string => (shared ? String(hash32(`${shared.seed}${key}`) % shared.counters) : key);
  return {
    consume: (key) =>
      limiter.consume(counterOf(key)).then(
        () => 0,
        // A limiter in memory fails in no other way.
        ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext)),
      ),
    waitMs: async (key) => {
      const taken = await limiter.get(counterOf(key));
      return taken && taken.consumedPoints >= count ? Math.max(0, Math.ceil(taken.msBeforeNext)) : 0;
    },
  };
};
