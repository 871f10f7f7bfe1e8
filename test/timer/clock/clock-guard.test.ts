import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ClockGuard } from '../../../server/timer/clock/clock-guard.ts';
import { holds } from '../../support/properties/property-runs.ts';

const START_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

/** The true time; the guard sees only a monotonic clock that passes evenly. */
let trueMs: number;
let guard: ClockGuard;
/** How far the database's clock is ahead of the truth. */
let offMs: number;

const look = (): number => guard.reading()(trueMs + offMs);
/** How far the answer is from the truth. */
const error = (): number => look() - trueMs;
const pass = (ms: number): void => {
  trueMs += ms;
};

beforeEach(() => {
  trueMs = START_MS;
  offMs = 0;
  guard = new ClockGuard({ monotonicMs: () => trueMs - START_MS + 5000 });
});

describe('The guard', () => {
  it('takes the database’s time as it is, and follows what is no jump', () => {
    offMs = -7 * HOUR_MS;
    expect(error()).toBe(offMs);
    offMs += 1999;
    expect(error()).toBe(offMs);
    offMs -= 1999;
    expect(error()).toBe(offMs);
    expect(guard.state).toEqual({ isHeld: false });
  });

  it.each([2010, 3000, HOUR_MS, 4 * HOUR_MS])(
    'does not follow a jump of %s ms ahead: time goes on evenly',
    (jumpMs) => {
      look();
      offMs = jumpMs;
      expect(error()).toBe(0);
      expect(guard.state).toEqual({ isHeld: true, sinceMs: trueMs, byMs: jumpMs, direction: 'ahead' });
      for (let second = 0; second < 3000; second += 1) {
        pass(1000);
        expect(error()).toBe(0);
        expect(guard.heldMs).toBe(trueMs);
      }
    },
  );

  it.each([2010, 3000, HOUR_MS, 4 * HOUR_MS])(
    'does not go back by %s ms: time goes on from the last trusted',
    (jumpMs) => {
      look();
      offMs = -jumpMs;
      expect(error()).toBe(0);
      expect(guard.state).toEqual({ isHeld: true, sinceMs: trueMs, byMs: -jumpMs, direction: 'back' });
      for (let second = 0; second < 3000; second += 1) {
        pass(1000);
        expect(error()).toBe(0);
      }
    },
  );

  it('lets a clock that is sixty times too fast gain two seconds', () => {
    look();
    let mostMs = 0;
    let latestMs = 0;
    for (let step = 0; step < 6000; step += 1) {
      pass(10);
      offMs += 59 * 10;
      const nowMs = look();
      mostMs = Math.max(mostMs, nowMs - trueMs);
      expect(nowMs).toBeGreaterThanOrEqual(latestMs);
      latestMs = nowMs;
    }
    expect(mostMs).toBeGreaterThan(0);
    expect(mostMs).toBeLessThanOrEqual(2000 + 60);
  });

  it('follows again when the clock was put right', () => {
    look();
    for (const jumpMs of [HOUR_MS, -HOUR_MS]) {
      offMs = jumpMs;
      expect(error()).toBe(0);
      pass(1000);
      offMs = 0;
      expect(error()).toBe(0);
      expect(guard.state).toEqual({ isHeld: false });
    }
  });

  it('follows when it is told to, ahead and back', () => {
    look();
    for (const jumpMs of [HOUR_MS, -HOUR_MS]) {
      offMs += jumpMs;
      expect(look()).not.toBe(trueMs + offMs);
      guard.accept();
      expect(look()).toBe(trueMs + offMs);
      expect(guard.state).toEqual({ isHeld: false });
    }
  });

  it('is not put off by a reading from before it was told to go back', () => {
    look();
    const begunBefore = guard.reading();
    offMs = -HOUR_MS;
    look();
    guard.accept();
    look();
    expect(begunBefore(trueMs + offMs)).toBe(trueMs + offMs);
    expect(guard.state).toEqual({ isHeld: false });
  });

  it('begins with no reading from before it was told to go on, though it comes first', () => {
    look();
    const begunBefore = guard.reading();
    const readMs = trueMs;
    offMs = HOUR_MS;
    look();
    guard.accept();
    begunBefore(readMs);
    pass(1_000);
    look();
    expect(error()).toBe(HOUR_MS);
    expect(guard.state).toEqual({ isHeld: false });
  });

  it('takes no delay for a jump, of the question or of the answer', () => {
    look();
    const slow = guard.reading();
    pass(20_000);
    const early = trueMs;
    look();
    pass(20_000);
    // Read at the beginning, in the middle, at the end: that is unknown.
    for (const readMs of [early - 20_000, early, trueMs]) expect(slow(readMs)).toBe(readMs);
    expect(guard.state).toEqual({ isHeld: false });
    expect(error()).toBe(0);
    expect(guard.state).toEqual({ isHeld: false });
  });

  it('does not leave the hold for an answer from before the jump', () => {
    look();
    const begunBefore = guard.reading();
    const readMs = trueMs;
    offMs = HOUR_MS;
    look();
    expect(begunBefore(readMs)).toBe(readMs);
    expect(guard.state.isHeld).toBe(true);
  });

  it('follows clocks that differ by as much as clocks do, for years', () => {
    look();
    for (let hour = 0; hour < 20_000; hour += 1) {
      pass(HOUR_MS);
      offMs += hour % 2 === 0 ? 1800 : -1700;
      expect(look()).toBe(trueMs + offMs);
    }
  });

  it('tells the held time at any moment, and none while nothing is held', () => {
    expect(guard.heldMs).toBeUndefined();
    look();
    expect(guard.heldMs).toBeUndefined();
    offMs = HOUR_MS;
    look();
    pass(700);
    expect(guard.heldMs).toBe(trueMs);
    guard.accept();
    expect(guard.heldMs).toBeUndefined();
    guard.resume({ nowMs: START_MS, databaseMs: START_MS });
    expect(guard.state).toEqual({ isHeld: true, sinceMs: START_MS, byMs: 0, direction: 'ahead' });
    pass(300);
    expect(guard.heldMs).toBe(START_MS + 300);
  });

  it('goes on with two seconds where nobody looked for longer before a jump, and makes the rest good later', () => {
    look();
    pass(10_000);
    offMs = HOUR_MS;
    expect(error()).toBe(-8000);
    offMs = 0;
    for (let second = 0; second < 5; second += 1) {
      pass(1000);
      expect(error()).toBe(0);
      expect(guard.state).toEqual({ isHeld: false });
    }
  });

  it('holds no time that is early where nobody looked for an hour', () => {
    look();
    pass(HOUR_MS);
    look();
    offMs = HOUR_MS;
    expect(error()).toBe(0);
    pass(5000);
    expect(guard.heldMs).toBe(trueMs);
  });

  it('does not begin to hold later for one slow answer: only by the drift', () => {
    look();
    pass(HOUR_MS / 2);
    const slow = guard.reading();
    const readMs = trueMs;
    pass(3000);
    slow(readMs);
    offMs = HOUR_MS;
    expect(look() - trueMs).toBeGreaterThanOrEqual(-1810);
    expect((guard.heldMs ?? 0) - trueMs).toBeGreaterThanOrEqual(-1810);
  });

  it('goes on no earlier for an answer from before the hold, of a clock that was a little ahead', () => {
    look();
    pass(10_000);
    const late = guard.reading();
    offMs = HOUR_MS;
    look();
    late(trueMs + 1500);
    pass(2000);
    expect(guard.state).toMatchObject({ isHeld: true });
    expect(guard.heldMs).toBeLessThanOrEqual(trueMs);
  });

  it('takes a second jump in a hold like the first, and says how far it is off now', () => {
    look();
    offMs = HOUR_MS;
    expect(error()).toBe(0);
    const sinceMs = trueMs;
    pass(10_000);
    offMs = 2 * HOUR_MS;
    expect(error()).toBe(-8000);
    expect(guard.state).toEqual({ isHeld: true, sinceMs, byMs: 2 * HOUR_MS + 8000, direction: 'ahead' });
  });

  it('is not put off by an answer from before a hold that has ended', () => {
    look();
    const late = guard.reading();
    offMs = HOUR_MS;
    look();
    offMs = 0;
    look();
    expect(late(trueMs + HOUR_MS)).toBe(trueMs);
    expect(guard.state).toEqual({ isHeld: false });
  });

  it('goes on where another process stood', () => {
    guard.resume({ nowMs: trueMs, databaseMs: trueMs + HOUR_MS });
    offMs = HOUR_MS;
    expect(guard.state).toEqual({ isHeld: true, sinceMs: trueMs, byMs: HOUR_MS, direction: 'ahead' });
    pass(60_000);
    expect(error()).toBe(0);
  });

  it.each([HOUR_MS, -HOUR_MS])('with a monotonic clock sixty times too fast still holds a jump of %s ms', (jumpMs) => {
    guard = new ClockGuard({ monotonicMs: () => (trueMs - START_MS) * 60 });
    const second = (): number => {
      pass(1000);
      return error();
    };
    for (let seconds = 0; seconds < 60; seconds += 1) expect(second()).toBe(0);
    offMs = jumpMs;
    for (let seconds = 0; seconds < 600; seconds += 1) {
      // As fast as the slower of the two clocks, and at most two seconds from before the jump.
      expect(second()).toBeLessThanOrEqual(2000);
      expect(error()).toBeGreaterThanOrEqual(-1000);
    }
    offMs = 0;
    // At once, or two readings of one moment would differ by seconds.
    const errorMs = second();
    expect(error()).toBe(errorMs);
    expect(second()).toBe(0);
  });
});

describe('Whatever the database’s clock does', () => {
  const step = fc.record({
    afterMs: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 60_000 })),
    jumpMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -2500, max: 2500 }),
      fc.integer({ min: -5 * HOUR_MS, max: 5 * HOUR_MS }),
    ),
    delayMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10_000 })),
  });
  const steps = fc.array(step, { minLength: 1, maxLength: 60 });

  /** Calls with what the guard said, when the database was asked and when its answer came. */
  const play = (
    played: readonly { afterMs: number; jumpMs: number; delayMs: number }[],
    seen: (nowMs: number) => void,
  ) => {
    trueMs = START_MS;
    offMs = 0;
    guard = new ClockGuard({ monotonicMs: () => trueMs });
    look();
    for (const { afterMs, jumpMs, delayMs } of played) {
      pass(afterMs);
      offMs += jumpMs;
      const trust = guard.reading();
      const readMs = trueMs + offMs;
      pass(delayMs);
      seen(trust(readMs));
    }
  };

  it('the time is never more than two seconds early, but for the drift', () => {
    holds([steps], (played) => {
      play(played, (nowMs) => {
        expect(nowMs - trueMs).toBeLessThanOrEqual(2000 + (trueMs - START_MS) / 1000);
      });
    });
  });

  it('is not early where a delay and a hold come together', () => {
    play(
      [
        { afterMs: 0, jumpMs: 3912, delayMs: 1911 },
        { afterMs: 2782, jumpMs: 65, delayMs: 1214 },
        { afterMs: 2311, jumpMs: -2073, delayMs: 0 },
        { afterMs: 388, jumpMs: 594, delayMs: 488 },
        { afterMs: 0, jumpMs: 0, delayMs: 0 },
      ],
      (nowMs) => expect(nowMs - trueMs).toBeLessThanOrEqual(2000 + (trueMs - START_MS) / 1000),
    );
  });

  it('the time never goes back by more than two seconds, but for a late answer', () => {
    holds([steps], (played) => {
      let latestMs = 0;
      play(
        played.map((one) => ({ ...one, delayMs: 0 })),
        (nowMs) => {
          expect(nowMs).toBeGreaterThanOrEqual(latestMs - 2000);
          latestMs = Math.max(latestMs, nowMs);
        },
      );
    });
  });

  it('does not go back further where a hold ends two seconds back', () => {
    play(
      [
        { afterMs: 0, jumpMs: -2001, delayMs: 0 },
        { afterMs: 0, jumpMs: 1, delayMs: 0 },
        { afterMs: 0, jumpMs: -1, delayMs: 0 },
        { afterMs: 0, jumpMs: 0, delayMs: 0 },
      ],
      (nowMs) => expect(nowMs).toBeGreaterThanOrEqual(START_MS - 2000),
    );
  });

  it('held time is not a millisecond early, and no later than its readings took', () => {
    const MOST_MS = 40;
    // More than readings are inexact, so that the next one shows it; less than passes until then.
    const BACK_MS = 100;
    const readings = fc.array(
      fc.record({
        afterMs: fc.integer({ min: BACK_MS, max: 1500 }),
        backMs: fc.constantFrom(0, 0, 0, BACK_MS),
        questionMs: fc.integer({ min: 0, max: MOST_MS }),
        answerMs: fc.integer({ min: 0, max: MOST_MS }),
      }),
      { minLength: 1, maxLength: 20 },
    );
    holds(
      [readings, readings, fc.integer({ min: HOUR_MS, max: 5 * HOUR_MS }), fc.boolean()],
      (before, held, byMs, isBack) => {
        guard.accept();
        offMs = 0;
        const take = ({ afterMs, questionMs, answerMs }: (typeof before)[number]): number => {
          pass(afterMs);
          const trust = guard.reading();
          pass(questionMs);
          const readMs = trueMs + offMs;
          pass(answerMs);
          return trust(readMs);
        };
        for (const one of before) {
          offMs -= one.backMs;
          take(one);
        }
        const rightMs = offMs;
        offMs += isBack ? -byMs : byMs;
        for (const one of held) {
          expect(take(one)).toBeLessThanOrEqual(trueMs + rightMs);
          expect(guard.heldMs).toBeLessThanOrEqual(trueMs + rightMs);
          expect(guard.heldMs).toBeGreaterThan(trueMs + rightMs - 2 * (MOST_MS + MOST_MS));
        }
      },
    );
  });

  it('no jump beyond the tolerance is followed, and the way back is found at once', () => {
    const seconds = fc.integer({ min: 0, max: 300 });
    holds([fc.integer({ min: 2010, max: 5 * HOUR_MS }), fc.boolean(), seconds], (byMs, isBack, heldSeconds) => {
      play([{ afterMs: 0, jumpMs: isBack ? -byMs : byMs, delayMs: 0 }], (nowMs) => expect(nowMs).toBe(trueMs));
      for (let second = 0; second < heldSeconds; second += 1) {
        pass(1000);
        expect(error()).toBe(0);
      }
      offMs = 0;
      expect(error()).toBe(0);
      expect(guard.state).toEqual({ isHeld: false });
    });
  });
});
