import { beforeEach, describe, expect, it } from 'vitest';
import { StoreClock } from '../../../server/timer/clock/store-clock.ts';

const START_MS = 1_790_000_000_000;

/** By the monotonic clock of this process. */
let passedMs: number;
/** How far the store's clock is from the one of this machine. */
let storeOffMs: number;
/** How long a question and its answer take, in all. */
let roundTripMs: number;
let clock: StoreClock;

beforeEach(() => {
  passedMs = 5000;
  storeOffMs = 0;
  roundTripMs = 0;
  const monotonicMs = () => passedMs;
  const store = {
    nowMs: async () => {
      passedMs += roundTripMs / 2;
      const shownMs = START_MS + passedMs + storeOffMs;
      passedMs += roundTripMs / 2;
      return shownMs;
    },
  };
  clock = new StoreClock(store, {
    monotonicMs,
    cpuMs: monotonicMs,
    nowMs: () => START_MS + passedMs,
    after: () => () => undefined,
  });
});

const offMs = (): number => clock.nowMs() - (START_MS + passedMs);

describe('the estimate of the store’s clock', () => {
  it('is this machine’s clock until the store was asked, and passes evenly', () => {
    expect(offMs()).toBe(0);
    passedMs += 1234;
    expect(offMs()).toBe(0);
  });

  it('takes half of the round trip for the way of the answer', async () => {
    storeOffMs = 700;
    roundTripMs = 50;
    await clock.refresh();
    expect(offMs()).toBe(700);
    storeOffMs = -40;
    roundTripMs = 20;
    await clock.refresh();
    expect(offMs()).toBe(-40);
  });

  it('takes any answer that came quickly, however little it says', async () => {
    roundTripMs = 20;
    storeOffMs = 10;
    await clock.refresh();
    expect(offMs()).toBe(10);
    roundTripMs = 50;
    storeOffMs = 30;
    await clock.refresh();
    expect(offMs()).toBe(30);
  });

  it('leaves out a slow answer that says nothing new', async () => {
    roundTripMs = 51;
    storeOffMs = 51;
    await clock.refresh();
    expect(offMs()).toBe(0);
    storeOffMs = -51;
    await clock.refresh();
    expect(offMs()).toBe(0);
  });

  it('takes a slow answer that is further away than its delay explains', async () => {
    roundTripMs = 400;
    storeOffMs = 1000;
    await clock.refresh();
    expect(offMs()).toBe(1000);
    storeOffMs = 599;
    await clock.refresh();
    expect(offMs()).toBe(599);
    storeOffMs = 300;
    await clock.refresh();
    expect(offMs()).toBe(599);
  });
});
