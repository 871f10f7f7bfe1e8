import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { hash32 } from '../runtime/hash32.ts';

export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

export interface RateLimit {
  /** Consumes one. Returns how long to wait, in ms, if none is left; else 0. */
  consume(key: string): Promise<number>;
  /** The result of `consume`, without consuming. */
  waitMs(key: string): Promise<number>;
}

/** Keys that clients choose share a fixed number of counters; outside of the process it is unknown which ones. */
export interface SharedCounters {
  readonly counters: number;
  readonly seed: string;
}

/**
 * Counts only in this process. Without `shared` each key has its own counter until its time is over, so the keys must
 * be few.
 */
export const createRateLimit = ({ count, perMs }: Rate, shared?: SharedCounters): RateLimit => {
  const limiter = new RateLimiterMemory({ points: count, duration: perMs / 1_000 });
  const counterOf = (key: string): string => (shared ? String(hash32(`${shared.seed}${key}`) % shared.counters) : key);
  return {
    consume: (key) =>
      limiter.consume(counterOf(key)).then(
        () => 0,
        // A limiter in memory fails only for this reason.
        ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext)),
      ),
    waitMs: async (key) => {
      const taken = await limiter.get(counterOf(key));
      return taken && taken.consumedPoints >= count ? Math.max(0, Math.ceil(taken.msBeforeNext)) : 0;
    },
  };
};
