import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { Deliveries } from '../../../server/timer/fire/deliveries.ts';
import { Worker } from '../../../server/timer/fire/worker.ts';
import type { Delivery } from '../../../server/timer/index/due-index.ts';
import { thingKind } from '../../support/engine/kinds.ts';
import { laneScene, quiet, spread } from '../../support/engine/lane-scene.ts';
import type { IndexFaults } from '../../support/engine/sabotaged.ts';

/** One delivery for each count of timers, of which no rows are left. */
const deliveriesOf = (...counts: readonly number[]): readonly Delivery[] =>
  counts.map((count, at) => ({
    ...{ shard: 0, receipt: `r${at + 1}` },
    timers: Array.from({ length: count }, (_, one) => ({ timerId: `${100 * at + one}`, owner: 'ann' })),
  }));

/** An engine whose queue gives these deliveries once, to a worker or to the reclaimer; `state` says whether rows can be read. */
const makeScene = async (given: readonly Delivery[], from: 'receive' | 'reclaim' = 'receive') => {
  const none: readonly Delivery[] = [];
  const state = { left: none, again: none, isFailing: false, hold: Promise.resolve() };
  const faults: IndexFaults = {};
  const [reads, acked]: [number[], string[]] = [[], []];
  const extended: { readonly atMs: number; readonly receipts: string }[] = [];
  const [receives, reclaims, forgets]: [number[], (readonly number[])[], number[]] = [[], [], []];
  const receiptsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ receipt }) => receipt);
  const give = () => {
    const { left } = state;
    state.left = [];
    return left;
  };
  const scene = await laneScene({
    kinds: [],
    batchLimit: 3,
    drainMs: 500,
    faultyStore: (store) => ({
      read: async (refs) => {
        reads.push(refs.length);
        if (state.isFailing) throw new Error('no Postgres');
        await state.hold;
        return store.read(refs);
      },
    }),
    faultyIndex: ({ queue }) =>
      Object.assign<IndexFaults, IndexFaults>(faults, {
        queue: {
          receive: async (limit, waitMs, signal) => {
            if (from === 'receive' && state.left.length > 0) {
              receives.push(limit);
              return give();
            }
            return queue.receive(limit, Math.min(waitMs, 100), signal);
          },
          reclaim: async (idleMs, limit) => {
            reclaims.push([idleMs, limit]);
            return from === 'reclaim' ? give() : state.again;
          },
          forgetConsumers: async (goneMs) => void forgets.push(goneMs),
          ack: async (deliveries) => void acked.push(...receiptsOf(deliveries)),
          extendLeases: async (deliveries) => {
            extended.push({ atMs: scene.clock.nowMs() - scene.nowMs, receipts: receiptsOf(deliveries).join() });
          },
        },
      }),
  });
  state.left = given;
  return { ...scene, state, faults, reads, acked, extended, receives, reclaims, forgets };
};

describe('a worker', () => {
  it('reads as many timers at once as fit, a larger delivery by itself, and acks each', async () => {
    const { reads, acked, receives, advance } = await makeScene(deliveriesOf(1, 2, 1, 4, 3));
    await advance(100);
    expect([reads, receives]).toEqual([[3, 1, 4, 3], [3]]);
    expect(acked).toEqual(['r1', 'r2', 'r3', 'r4', 'r5']);
  });

  it('reads what it received again when that failed, and nothing twice', async () => {
    const { state, reads, acked, advance } = await makeScene(deliveriesOf(3, 1));
    state.isFailing = true;
    await advance(100);
    expect([new Set(reads), acked]).toEqual([new Set([3]), []]);
    state.isFailing = false;
    reads.length = 0;
    await advance(1000);
    expect([reads, acked]).toEqual([
      [3, 1],
      ['r1', 'r2'],
    ]);
  });
});

describe('the lease of a delivery', () => {
  it('is extended every two seconds until its timers are settled, and no longer', async () => {
    const { state, acked, extended, advance } = await makeScene(deliveriesOf(1, 1));
    const held = Promise.withResolvers<void>();
    state.hold = held.promise;
    await advance(4100);
    expect(extended.map(({ receipts }) => receipts)).toEqual(['r1,r2', 'r1,r2']);
    const [first, second] = extended.map(({ atMs }) => atMs);
    expect((second ?? 0) - (first ?? 0)).toBe(2000);
    held.resolve();
    await quiet();
    expect(acked).toEqual(['r1', 'r2']);
    await advance(6000);
    expect(extended.slice(2).filter(({ receipts }) => receipts !== '')).toEqual([]);
  });

  it('is extended as long as its timers are settled', async () => {
    const extended = new Set<string>();
    let times = 0;
    const { timers, rows, advance, nowMs } = await laneScene({
      kinds: [thingKind('pet', () => new Promise(() => undefined))],
      faultyIndex: () => ({
        queue: {
          extendLeases: async (deliveries) => {
            times += 1;
            for (const { timerId } of deliveries.flatMap((each) => each.timers)) extended.add(timerId);
          },
        },
      }),
    });
    const [timer] = spread('pet', 1, { fromMs: nowMs });
    if (timer === undefined) throw new Error('there is one');
    const { put } = await rows.changeThings({ put: [timer] });
    expect(await timers.listByOwner(timer.owner)).toHaveLength(1);
    // The sweeper finds it, puts it, and it is delivered.
    await advance(4000);
    times = 0;
    await advance(6000);
    expect(times).toBeGreaterThanOrEqual(2);
    expect([...extended]).toEqual(put.map(({ timerId }) => timerId));
  });

  it('is not extended while the index is away or after the end; until then a delivery is received once', async () => {
    const given = deliveriesOf(1, 1);
    const { state, faults, reads, extended, engine, advance } = await makeScene(given);
    state.hold = new Promise(() => undefined);
    state.again = given;
    await advance(2100);
    expect([extended.splice(0).length, reads]).toEqual([1, [2]]);
    faults.isAvailable = false;
    await advance(4000);
    expect(extended).toEqual([]);
    faults.isAvailable = true;
    await advance(2000);
    expect(extended.splice(0)).toHaveLength(1);
    void engine.stop();
    await advance(1500);
    await advance(6000);
    expect([extended, reads]).toEqual([[], [2]]);
  });
});

describe('a reclaimer', () => {
  it('accepts deliveries that were idle for five seconds, more at once, and asks again in a second', async () => {
    const { reclaims, reads, acked, advance } = await makeScene(deliveriesOf(1, 2), 'reclaim');
    reclaims.length = 0;
    await advance(1000);
    expect([reads, acked]).toEqual([[3], ['r1', 'r2']]);
    expect(reclaims).toEqual([
      [5000, 3],
      [5000, 3],
    ]);
    await advance(1000);
    expect(reclaims).toHaveLength(3);
  });

  it('reads what it reclaimed again when that failed, under the same lease', async () => {
    const { state, reads, acked, reclaims, extended, advance } = await makeScene(deliveriesOf(1), 'reclaim');
    state.isFailing = true;
    await advance(4000);
    expect(reads.length).toBeGreaterThan(2);
    expect([acked, extended.at(-1)?.receipts]).toEqual([[], 'r1']);
    const { length } = reclaims;
    state.isFailing = false;
    await advance(1000);
    expect([acked, reclaims.length]).toEqual([['r1'], length + 1]);
  });

  it('forgets dead consumers once a minute', async () => {
    const { forgets, clock, advance } = await makeScene([]);
    for (const ms of [0, 58_000, 2000, 60_000]) {
      clock.advance(ms);
      await advance(1000);
    }
    expect(forgets).toEqual([600_000, 600_000, 600_000]);
  });
});

describe('deliveries by themselves', () => {
  const makeDeliveries = () => {
    const clock = new ManualClock(0);
    const acks: PromiseWithResolvers<void>[] = [];
    const extended: string[] = [];
    const queue = {
      ack: () => {
        const ack = Promise.withResolvers<void>();
        acks.push(ack);
        return ack.promise;
      },
      extendLeases: async (some: readonly Delivery[]) => void extended.push(some.map(({ receipt }) => receipt).join()),
    };
    const deliveries = new Deliveries({ index: { isAvailable: true, queue }, after: clock.after } as never);
    return { clock, acks, extended, deliveries };
  };

  it('are flushed when each settled one is acked, also one that settles meanwhile', async () => {
    const { acks, deliveries } = makeDeliveries();
    const [first, second] = deliveriesOf(1, 1);
    if (!first || !second) throw new Error('no deliveries');
    deliveries.receive([first, second]);
    await deliveries.flush();
    deliveries.ackAfter([first], Promise.resolve());
    await quiet();
    let isFlushed = false;
    const flushing = deliveries.flush().then(() => {
      isFlushed = true;
    });
    deliveries.ackAfter([second], Promise.resolve());
    await quiet();
    acks[0]?.resolve();
    await quiet();
    expect([isFlushed, acks.length]).toEqual([false, 2]);
    acks[1]?.resolve();
    await flushing;
  });

  it('have their leases extended again and again until they stop; none are extended for nothing', () => {
    const { clock, extended, deliveries } = makeDeliveries();
    deliveries.receive([]);
    clock.advance(60_000);
    expect(extended).toEqual([]);
    deliveries.receive(deliveriesOf(1));
    for (let at = 0; at < 600; at += 1) clock.advance(100);
    expect(extended.length).toBeGreaterThan(1);
    expect(new Set(extended)).toEqual(new Set(['r1']));
    deliveries.stop();
    const { length } = extended;
    deliveries.receive([]);
    clock.advance(60_000);
    expect(extended).toHaveLength(length);
  });
});

describe('a worker by itself', () => {
  /** The answers of its turns to batches of which so many timers are accepted; the kinds of others are unknown here. */
  const waitsOf = async (counts: readonly number[]) => {
    const accepted = [...counts];
    const worker = new Worker({
      index: { queue: { receive: async () => deliveriesOf(1) } },
      intake: {
        meetsUnknownKinds: true,
        accept: async () => ({ count: accepted.shift() ?? 0, settled: Promise.resolve() }),
      },
      deliveries: { receive: (some: unknown) => some, ackAfter: () => undefined },
      limit: 3,
    } as never);
    const waits: number[] = [];
    for (const _ of counts) waits.push(await worker.tick(new AbortController().signal));
    return waits;
  };

  it('stands back longer and longer while it receives what it cannot fire, up to a bound', async () => {
    const [one = 0, ...others] = await waitsOf([1, 0, 0, 0, 1, 0]);
    expect(one).toBeGreaterThan(0);
    expect(others).toEqual([2 * one, 3 * one, 4 * one, one, 2 * one]);
    const many = await waitsOf(Array<number>(200).fill(0));
    expect(many.at(-1)).toBe(4 * one);
  });

  it('takes a delivery that is larger than its limit by itself', async () => {
    const batches: number[] = [];
    const worker = new Worker({
      index: { queue: { receive: async () => deliveriesOf(5, 1) } },
      intake: {
        meetsUnknownKinds: false,
        accept: async (timers: readonly unknown[]) => {
          batches.push(timers.length);
          return { count: timers.length, settled: Promise.resolve() };
        },
      },
      deliveries: { receive: (some: unknown) => some, ackAfter: () => undefined },
      limit: 3,
    } as never);
    expect(await worker.tick(new AbortController().signal)).toBe(0);
    expect(batches).toEqual([5, 1]);
  });
});
