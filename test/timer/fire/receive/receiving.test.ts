import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../server/runtime/manual-clock.ts';
import { Deliveries } from '../../../../server/timer/fire/deliveries.ts';
import { Reclaimer } from '../../../../server/timer/fire/reclaimer.ts';
import { Worker } from '../../../../server/timer/fire/worker.ts';
import type { Delivery } from '../../../../server/timer/index/due-index.ts';
import type { TimerRef } from '../../../../server/timer/model/index-entry.ts';
import { drain } from '../../../../server/timer/timer-engine.ts';

const delivery = (receipt: string, ...ids: readonly string[]): Delivery => ({
  shard: 0,
  receipt,
  timers: ids.map((timerId) => ({ timerId, owner: 'ann' })),
});

/** A queue that gives these once, an intake that fails while it is told to, and what both were asked. */
const scene = (given: readonly Delivery[], { limit = 3 } = {}) => {
  const clock = new ManualClock(0);
  const asked: unknown[][] = [];
  const state = { isFailing: false, meetsUnknownKinds: false, isAvailable: true, given };
  const takeAll = (...call: readonly unknown[]) => {
    asked.push([...call]);
    const all = state.given;
    state.given = [];
    return all;
  };
  const queue = {
    receive: async (...args: unknown[]) => takeAll('receive', ...args.slice(0, 2)),
    reclaim: async (...args: unknown[]) => takeAll('reclaim', ...args),
    ack: async (all: readonly Delivery[]) => void asked.push(['ack', ...all.map(({ receipt }) => receipt)]),
    extendLeases: async (all: readonly Delivery[]) =>
      void asked.push(['extendLeases', ...all.map(({ receipt }) => receipt)]),
    forgetConsumers: async (ms: number) => void asked.push(['forget', ms]),
  } as never;
  const index = {
    queue,
    get isAvailable() {
      return state.isAvailable;
    },
  };
  const intake = {
    accept: async (refs: readonly TimerRef[]) => {
      asked.push(['take', ...refs.map(({ timerId }) => timerId)]);
      if (state.isFailing) throw new Error('no Postgres');
      return { count: refs.length, settled: Promise.resolve() };
    },
    get meetsUnknownKinds() {
      return state.meetsUnknownKinds;
    },
  };
  const deliveries = new Deliveries({ index, after: clock.after });
  const worker = new Worker({ index, intake, deliveries, limit });
  const reclaimer = new Reclaimer({ index, intake, deliveries, limit, monotonicMs: clock.monotonicMs });
  const work = () => worker.tick(new AbortController().signal);
  return { clock, asked, state, deliveries, work, reclaim: reclaimer.tick };
};
const taken = (asked: readonly unknown[][]) =>
  asked.filter(([what]) => what === 'take').map(([, ...ids]) => ids.join());

describe('a worker', () => {
  it('receives up to its limit, waits a second for it, and acks what was settled', async () => {
    const { asked, work, deliveries } = scene([delivery('r1', 'a', 'b')]);
    expect(await work()).toBe(0);
    await deliveries.flush();
    expect(asked).toEqual([
      ['receive', 3, 1000],
      ['take', 'a', 'b'],
      ['ack', 'r1'],
    ]);
  });

  it('takes in as many at once as fit, and a larger delivery by itself', async () => {
    const given = [
      delivery('r1', 'a'),
      delivery('r2', 'b', 'c'),
      delivery('r3', 'd'),
      delivery('r4', 'e', 'f', 'g', 'h'),
    ];
    const { asked, work } = scene([...given, delivery('r5', 'i', 'j', 'k')]);
    await work();
    expect(taken(asked)).toEqual(['a,b,c', 'd', 'e,f,g,h', 'i,j,k']);
    const large = scene([delivery('r1', 'a', 'b', 'c', 'd')]);
    await large.work();
    expect(taken(large.asked)).toEqual(['a,b,c,d']);
    const none = scene([]);
    await none.work();
    expect(none.asked).toEqual([['receive', 3, 1000]]);
  });

  it('repeats a turn that failed with what it had received, and nothing twice', async () => {
    const { asked, state, work } = scene([delivery('r1', 'a', 'b', 'c'), delivery('r2', 'd')]);
    state.isFailing = true;
    await expect(work()).rejects.toThrow('no Postgres');
    state.isFailing = false;
    await work();
    expect(taken(asked)).toEqual(['a,b,c', 'a,b,c', 'd']);
    expect(asked.filter(([what]) => what === 'receive')).toHaveLength(1);
    await work();
    expect(asked.filter(([what]) => what === 'receive')).toHaveLength(2);
  });

  it('stands back where others can do the work: it waits for nothing, and longer until its next turn', async () => {
    const { asked, state, work } = scene([]);
    state.meetsUnknownKinds = true;
    expect(await work()).toBe(100);
    expect(asked).toEqual([['receive', 3, 0]]);
  });
});

describe('deliveries', () => {
  const held = (asked: readonly unknown[][]) =>
    asked.filter(([what]) => what === 'extendLeases').map(([, ...all]) => all.join());

  it('are held every two seconds until they are acked, and none is then', async () => {
    const { asked, clock, deliveries } = scene([]);
    const settled = Promise.withResolvers<void>();
    const [r1, r2] = [delivery('r1', 'a'), delivery('r2', 'b')];
    expect(deliveries.receive([r1])).toEqual([r1]);
    clock.advance(500);
    expect(deliveries.receive([r1, r2])).toEqual([r2]);
    clock.advance(1500);
    clock.advance(2000);
    expect(held(asked)).toEqual(['r1,r2', 'r1,r2']);
    deliveries.ackAfter([r1, r2], settled.promise);
    settled.resolve();
    await settled.promise;
    await deliveries.flush();
    clock.advance(2000);
    const { length } = held(asked);
    clock.advance(4000);
    expect(held(asked)).toHaveLength(length);
    expect(held(asked).slice(2).join('')).toBe('');
  });

  it('are not held while the index is away, nor after the end, when all are strangers again', () => {
    const { asked, clock, state, deliveries } = scene([]);
    const r1 = delivery('r1', 'a');
    deliveries.receive([r1]);
    state.isAvailable = false;
    clock.advance(2000);
    expect(held(asked)).toEqual([]);
    state.isAvailable = true;
    deliveries.stop();
    clock.advance(4000);
    expect(held(asked)).toEqual([]);
    expect(deliveries.receive([r1])).toEqual([r1]);
  });

  it('are all acked when the flush ends', async () => {
    const { asked, deliveries } = scene([]);
    const [r1, r2] = [delivery('r1', 'a'), delivery('r2', 'b')];
    deliveries.receive([r1, r2]);
    deliveries.ackAfter([r1], Promise.resolve());
    await Promise.resolve();
    deliveries.ackAfter([r2], Promise.resolve());
    await Promise.resolve();
    await deliveries.flush();
    expect(asked.filter(([what]) => what === 'ack').flatMap(([, ...all]) => all)).toEqual(['r1', 'r2']);
  });
});

describe('a reclaimer', () => {
  it('takes in what was idle for five seconds, and looks for more at once', async () => {
    const { asked, reclaim, deliveries } = scene([delivery('r1', 'a'), delivery('r2', 'b')]);
    expect(await reclaim()).toBe(0);
    await deliveries.flush();
    expect(asked).toEqual([
      ['forget', 600_000],
      ['reclaim', 5000, 3],
      ['take', 'a', 'b'],
      ['ack', 'r1', 'r2'],
    ]);
    expect(await reclaim()).toBe(1000);
  });

  it('does nothing while the index is away', async () => {
    const { asked, state, reclaim } = scene([delivery('r1', 'a')]);
    state.isAvailable = false;
    expect(await reclaim()).toBe(1000);
    expect(asked).toEqual([]);
  });

  it('forgets dead readers once a minute', async () => {
    const { asked, clock, reclaim } = scene([]);
    for (const ms of [0, 59_999, 1, 60_000]) {
      clock.advance(ms);
      await reclaim();
    }
    expect(asked.filter(([what]) => what === 'forget')).toHaveLength(3);
  });

  it('repeats a turn that failed with what it had reclaimed', async () => {
    const { asked, state, reclaim } = scene([delivery('r1', 'a')]);
    state.isFailing = true;
    await expect(reclaim()).rejects.toThrow('no Postgres');
    state.isFailing = false;
    expect(await reclaim()).toBe(0);
    expect(taken(asked)).toEqual(['a', 'a']);
    expect(asked.filter(([what]) => what === 'reclaim')).toHaveLength(1);
  });
});

describe('a drain', () => {
  const draining = () => {
    const clock = new ManualClock(0);
    const work = Promise.withResolvers<void>();
    const seen: string[] = [];
    const end = drain({
      work: work.promise,
      abort: () => void seen.push('abort'),
      drainMs: 500,
      after: clock.after,
    }).then(
      () => void seen.push('end'),
      () => void seen.push('failed'),
    );
    return { clock, work, seen, end };
  };

  it('ends with the work, and aborts nothing then', async () => {
    const { clock, work, seen, end } = draining();
    work.resolve();
    await end;
    clock.advance(5000);
    expect(seen).toEqual(['end']);
  });

  it('aborts what is left when its time is over, and ends a second later whatever still runs', async () => {
    const { clock, seen, end } = draining();
    clock.advance(499);
    expect(seen).toEqual([]);
    clock.advance(1);
    expect(seen).toEqual(['abort']);
    clock.advance(999);
    await Promise.resolve();
    expect(seen).toEqual(['abort']);
    clock.advance(1);
    await end;
    expect(seen).toEqual(['abort', 'end']);
  });

  it('fails as the work does', async () => {
    const { work, seen, end } = draining();
    work.reject(new Error('torn'));
    await end;
    expect(seen).toEqual(['failed']);
  });
});
