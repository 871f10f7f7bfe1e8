import { expect, it } from 'vitest';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { Deliveries } from '../../../server/timer/fire/deliveries.ts';
import { Reclaimer } from '../../../server/timer/fire/reclaimer.ts';
import type { Delivery } from '../../../server/timer/index/due-index.ts';
import type { TimerRef } from '../../../server/timer/model/index-entry.ts';
import { laneScene, quiet, spread } from '../../support/engine/lane-scene.ts';
import { thingKind } from '../../support/engine/thing-kind.ts';

/** Others reclaim what was idle for so long. */
const IDLE_MS = 5000;

const delivery = (receipt: string): Delivery => ({ shard: 0, receipt, timers: [{ timerId: receipt, owner: 'ann' }] });

const makeScene = () => {
  const clock = new ManualClock(0);
  const held: { atMs: number; receipts: readonly string[] }[] = [];
  const acked: string[] = [];
  const deliveries = new Deliveries({
    index: {
      isAvailable: true,
      queue: {
        extendLeases: async (some: readonly Delivery[]) =>
          void held.push({ atMs: clock.nowMs(), receipts: some.map(({ receipt }) => receipt) }),
        ack: async (some: readonly Delivery[]) => void acked.push(...some.map(({ receipt }) => receipt)),
      },
    } as never,
    after: clock.after,
  });
  return { clock, held, acked, deliveries };
};

it('holds what is worked on long before others would reclaim it, and no longer than that', async () => {
  const { clock, held, acked, deliveries } = makeScene();
  const settled = Promise.withResolvers<void>();
  deliveries.ackAfter(deliveries.receive([delivery('a')]), settled.promise);
  clock.advance(20_000);
  const times = [0, ...held.map(({ atMs }) => atMs), 20_000];
  const gaps = times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(IDLE_MS / 2);
  expect(held.every(({ receipts }) => receipts.includes('a'))).toBe(true);
  settled.resolve();
  await quiet();
  expect(acked).toEqual(['a']);
  held.length = 0;
  clock.advance(20_000);
  expect(held.flatMap(({ receipts }) => receipts)).toEqual([]);
});

it('does not take in a second time what was reclaimed while it is worked on', () => {
  const { deliveries } = makeScene();
  expect(deliveries.receive([delivery('a')])).toHaveLength(1);
  expect(deliveries.receive([delivery('a'), delivery('b')])).toEqual([delivery('b')]);
});

it('an engine holds the deliveries of what it settles, for as long as that takes', async () => {
  const held = new Set<string>();
  let holds = 0;
  const { timers, rows, advance, nowMs } = await laneScene({
    kinds: [thingKind('pet', () => new Promise(() => undefined))],
    faultyIndex: () => ({
      queue: {
        extendLeases: async (deliveries) => {
          holds += 1;
          for (const { timerId } of deliveries.flatMap((each) => each.timers)) held.add(timerId);
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
  holds = 0;
  await advance(6000);
  expect(holds).toBeGreaterThanOrEqual(2);
  expect([...held]).toEqual(put.map(({ timerId }) => timerId));
});

it('takes in what was reclaimed once its rows can be read, though it could not read them at first', async () => {
  const { clock, held, acked, deliveries } = makeScene();
  // Idle once, then extended by this process: no other consumer gets it a second time.
  const idle = [delivery('a')];
  let isDatabaseAway = true;
  const taken: string[] = [];
  const reclaimer = new Reclaimer({
    index: {
      isAvailable: true,
      queue: { reclaim: async () => idle.splice(0), forgetConsumers: async () => undefined },
    },
    intake: {
      accept: async (refs: readonly TimerRef[]) => {
        if (isDatabaseAway) throw new Error('Postgres is away');
        taken.push(...refs.map(({ timerId }) => timerId));
        return { count: refs.length, settled: Promise.resolve() };
      },
    },
    deliveries,
    limit: 100,
    monotonicMs: clock.monotonicMs,
  } as never);
  await expect(reclaimer.tick()).rejects.toThrow('away');
  await expect(reclaimer.tick()).rejects.toThrow('away');
  isDatabaseAway = false;
  await reclaimer.tick();
  await quiet();
  expect(taken).toEqual(['a']);
  expect(acked).toEqual(['a']);
  clock.advance(20_000);
  expect(held.flatMap(({ receipts }) => receipts)).toEqual([]);
});
