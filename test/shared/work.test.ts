import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Boost, boosted, canBoost, cut, dueAtMs, restate, type Work, workDone } from '../../shared/work.ts';
import { holds } from '../support/properties/property-runs.ts';

const HOUR_MS = 3_600_000;
const SINCE_MS = 1000;

const work = fc.record({ leftMs: fc.nat(60), sinceAtMs: fc.constant<number>(SINCE_MS) });
/** Also boosts that ended before the work began. */
const boost = fc.option(
  fc.record({ rate: fc.integer({ min: 2, max: 5 }), endsAtMs: fc.integer({ min: 980, max: 1060 }) }),
  {
    nil: undefined,
  },
);
const elapsed = fc.nat(80);

/** The naive way: eats millisecond by millisecond. */
const eatenBy = ({ leftMs, sinceAtMs }: Work, running: Boost | undefined, nowMs: number): number => {
  let eaten = 0;
  for (let at = sinceAtMs; at < nowMs && eaten < leftMs; at++)
    eaten += running && at < running.endsAtMs ? running.rate : 1;
  return Math.min(eaten, leftMs);
};
const emptyAt = (some: Work, running: Boost | undefined): number => {
  let at = some.sinceAtMs;
  while (eatenBy(some, running, at) < some.leftMs) at++;
  return at;
};

describe('work', () => {
  it('is done as the naive integrator does it, millisecond by millisecond', () => {
    holds([work, boost, elapsed], (some, running, elapsedMs) => {
      const nowMs = some.sinceAtMs + elapsedMs;
      expect(workDone(some, running, nowMs)).toBe(eatenBy(some, running, nowMs));
    });
  });

  it('is due at the least millisecond at which the naive integrator has eaten all', () => {
    holds([work, boost], (some, running) => {
      expect(dueAtMs(some, running)).toBe(emptyAt(some, running));
    });
  });

  it('never moves its due time when it is restated before it is due, however often', () => {
    holds([work, boost, fc.array(fc.nat(1000), { maxLength: 5 })], (some, running, moments) => {
      const due = dueAtMs(some, running);
      let restated = some;
      for (const moment of moments) {
        const leeway = due - restated.sinceAtMs;
        if (leeway === 0) break;
        restated = restate(restated, running, restated.sinceAtMs + (moment % leeway));
        expect(dueAtMs(restated, running)).toBe(due);
      }
    });
  });

  it('restated twice is what it is restated once', () => {
    holds([work, boost, elapsed, elapsed], (some, running, one, two) => {
      const via = restate(some, running, SINCE_MS + one);
      expect(restate(via, running, SINCE_MS + one + two)).toEqual(restate(some, running, SINCE_MS + one + two));
    });
  });

  it('is never due later for a cut or a boost', () => {
    holds([work, boost, elapsed, fc.nat(60)], (some, running, elapsedMs, byMs) => {
      const due = dueAtMs(some, running);
      const nowMs = Math.min(due, SINCE_MS + elapsedMs);
      const now = restate(some, running, nowMs);
      expect(dueAtMs(cut(now, byMs).work, running)).toBeLessThanOrEqual(Math.max(due, nowMs));
      const rate = running?.rate ?? 2;
      expect(canBoost(running, rate, nowMs)).toBe(true);
      expect(dueAtMs(now, boosted(running, rate, byMs + 1, nowMs))).toBeLessThanOrEqual(due);
    });
  });

  it('takes its time to the millisecond after a century', () => {
    const long: Work = { leftMs: 100 * 366 * 86_400_000, sinceAtMs: 4_000_000_000_000 };
    expect(dueAtMs(long, { rate: 1000, endsAtMs: long.sinceAtMs + 1 })).toBe(long.sinceAtMs + long.leftMs - 999);
  });
});

describe('a cut', () => {
  it('takes what there is, and the rest is wasted', () => {
    holds([work, fc.nat(100)], (some, byMs) => {
      const { work: left, wastedMs } = cut(some, byMs);
      expect(some.leftMs - left.leftMs + wastedMs).toBe(byMs);
      expect(wastedMs > 0 && left.leftMs > 0).toBe(false);
      expect(left.leftMs).toBeGreaterThanOrEqual(0);
    });
  });

  it.each([
    [4, 2],
    [3, 1.5],
    [2, 1],
  ])('of 2 h, while a boost x2 lasts 1 h, with %f h of work left saves %f h', (leftHours, savedHours) => {
    const some: Work = { leftMs: leftHours * HOUR_MS, sinceAtMs: SINCE_MS };
    const running: Boost = { rate: 2, endsAtMs: SINCE_MS + HOUR_MS };
    const savedMs = dueAtMs(some, running) - dueAtMs(cut(some, 2 * HOUR_MS).work, running);
    expect(savedMs).toBe(savedHours * HOUR_MS);
  });

  it('of 2 h saves 2 h without a boost', () => {
    const some: Work = { leftMs: 3 * HOUR_MS, sinceAtMs: SINCE_MS };
    expect(dueAtMs(some, undefined) - dueAtMs(cut(some, 2 * HOUR_MS).work, undefined)).toBe(2 * HOUR_MS);
  });
});

describe('a boost', () => {
  it('of the same rate extends the end of the one that runs', () => {
    expect(boosted({ rate: 2, endsAtMs: 50 }, 2, 10, 49)).toEqual({ rate: 2, endsAtMs: 60 });
  });

  it('begins anew at the very instant the last one ended', () => {
    expect(boosted({ rate: 2, endsAtMs: 50 }, 2, 10, 50)).toEqual({ rate: 2, endsAtMs: 60 });
    expect(boosted({ rate: 2, endsAtMs: 50 }, 2, 10, 70)).toEqual({ rate: 2, endsAtMs: 80 });
    expect(canBoost({ rate: 2, endsAtMs: 50 }, 3, 50)).toBe(true);
  });

  it('of another rate has to wait until the running one ends', () => {
    expect(canBoost({ rate: 2, endsAtMs: 50 }, 3, 49)).toBe(false);
    expect(canBoost({ rate: 2, endsAtMs: 50 }, 2, 49)).toBe(true);
  });

  it('rounds only the due time, and up: 5 ms of work at x2 take 3 ms', () => {
    expect(dueAtMs({ leftMs: 5, sinceAtMs: 0 }, { rate: 2, endsAtMs: 100 })).toBe(3);
    expect(restate({ leftMs: 5, sinceAtMs: 0 }, { rate: 2, endsAtMs: 100 }, 2)).toEqual({ leftMs: 1, sinceAtMs: 2 });
  });
});
