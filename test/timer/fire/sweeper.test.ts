import { expect, it } from 'vitest';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { MemoryTimerStore } from '../../../server/adapter/memory/memory-timer-store.ts';
import { alwaysExclusive } from '../../../server/runtime/always-exclusive.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { StoreClock } from '../../../server/timer/clock/store-clock.ts';
import { Sweeper } from '../../../server/timer/fire/sweeper.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import { IndexWriter } from '../../../server/timer/index/index-writer.ts';
import type { EngineEvent } from '../../../server/timer/model/engine-event.ts';
import { entryOf } from '../../../server/timer/model/index-entry.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { TimerKinds } from '../../../server/timer/model/timer-kinds.ts';
import { beginGeneration } from '../../support/engine/begin-generation.ts';
import { countOf } from '../../support/engine/count-of.ts';
import { type IndexFaults, sabotagedIndex } from '../../support/engine/sabotaged-index.ts';
import { silentLog } from '../../support/log/silent-log.ts';

const NOW_MS = 1_790_000_000_000;
const DAY_MS = 86_400_000;

/** What is put stays where it is. */
const noHandOff: IndexFaults = { handOffs: { handOff: async () => ({ moved: 0, nextFireAtMs: undefined }) } };

/** A sweeper that has not swept yet, beside an index that was refilled long ago, unless said otherwise. */
const makeScene = async ({ isAway = false, faults = noHandOff } = {}) => {
  const clock = new ManualClock(NOW_MS - DAY_MS);
  const store = new MemoryTimerStore(clock.nowMs);
  const index = new MemoryDueIndex(clock);
  await beginGeneration(index);
  const kinds = new TimerKinds();
  kinds.register({ kind: 'order', fire: async () => undefined });
  await store.registerKinds(['order', 'hint']);
  const rebuilder = { isNeeded: isAway };
  const fired: string[] = [];
  const events: EngineEvent[] = [];
  const tools = { store, kinds, clock, storeClock: new StoreClock(store, clock), log: silentLog };
  const seen = sabotagedIndex(index, faults);
  const sweeper = new Sweeper({
    rebuilder,
    exclusive: alwaysExclusive,
    limit: 100,
    index: seen,
    tools: { ...tools, indexWriter: new IndexWriter({ index }), observe: (event) => events.push(event) },
    intake: { take: async (ids) => ({ count: fired.push(...ids), settled: Promise.resolve() }) },
  });
  clock.advanceTo(NOW_MS);
  /** Rows of which the index was never told. */
  const lose = async (owners: readonly string[], { kind = 'order', dueAtMs = NOW_MS } = {}) => {
    const wanted = owners.map((owner, at) => ({ kind, owner, dueAtMs, subject: `${kind}-${owner}-${at}` }));
    return (await store.schedule(wanted)).map(({ timer }) => timer);
  };
  /** As the loop does, for so long; answers when it would turn next. */
  const sweepFor = async (forMs: number): Promise<void> => {
    const untilMs = clock.nowMs() + forMs;
    for (;;) {
      const pauseMs = await sweeper.tick();
      if (clock.nowMs() + pauseMs > untilMs) return clock.advanceTo(untilMs);
      clock.advance(pauseMs);
    }
  };
  const swept = (): number => events.reduce((sum, event) => sum + (event.type === 'swept' ? event.count : 0), 0);
  return { clock, store, index, sweeper, rebuilder, fired, lose, sweepFor, swept };
};

const timesOf = (index: DueIndex, timers: readonly Timer[]) =>
  index.orders.fireTimes(timers.map(({ id, owner }) => ({ timerId: id, owner })));

it('fires what is overdue while the index lacks timers', async () => {
  const { sweeper, fired, lose } = await makeScene({ isAway: true });
  const [timer] = await lose(['ann']);
  await sweeper.tick();
  expect(fired).toEqual([timer?.id]);
});

it('fires a row again a second later, and no sooner, when it is overdue still', async () => {
  const { sweepFor, fired, lose } = await makeScene({ isAway: true });
  const [timer] = await lose(['ann']);
  await sweepFor(900);
  expect(fired).toEqual([timer?.id]);
  await sweepFor(200);
  expect(fired).toEqual([timer?.id, timer?.id]);
});

it('puts what a whole index lacks, two seconds after it was due, and runs no handler', async () => {
  const { clock, index, sweeper, fired, lose, swept } = await makeScene();
  const timers = await lose(['ann']);
  clock.advance(1999);
  await sweeper.tick();
  expect((await timesOf(index, timers)).size).toBe(0);
  clock.advance(1);
  await sweeper.tick();
  expect([...(await timesOf(index, timers)).values()]).toEqual([NOW_MS + 2000]);
  expect(fired).toEqual([]);
  expect(swept()).toBe(1);
});

it('puts kinds that only other processes have, and none that no process ever had', async () => {
  const { index, sweepFor, lose } = await makeScene();
  const [known, unknown] = [await lose(['ann'], { kind: 'hint' }), await lose(['ann'], { kind: 'nobody' })];
  await sweepFor(3000);
  expect((await timesOf(index, known)).size).toBe(1);
  expect((await timesOf(index, unknown)).size).toBe(0);
});

it('leaves to the workers what was overdue for a day when the index became whole, as long as they have it', async () => {
  const { clock, index, sweeper, sweepFor, rebuilder, lose, swept } = await makeScene({ isAway: true });
  const [timer] = await lose(['ann'], { dueAtMs: NOW_MS - DAY_MS });
  if (timer === undefined) throw new Error('there is one');
  await sweeper.tick();
  rebuilder.isNeeded = false;
  await index.orders.put([entryOf(timer)]);
  await index.handOffs.handOff(0, NOW_MS, 10);
  const before = swept();
  await sweepFor(30_000);
  expect(await countOf(index)).toBe(0);
  await index.queue.ack(await index.queue.receive(10, 0, new AbortController().signal));
  clock.advance(1000);
  await sweeper.tick();
  expect(await countOf(index)).toBe(1);
  expect(swept()).toBe(before);
});

it('waits only for the deliveries of the row’s own shard, and for none longer than a minute', async () => {
  // Each owner is a shard: of the first a delivery hangs, of the second none.
  const { index, clock, sweepFor, lose } = await makeScene({
    faults: {
      ...noHandOff,
      inUse: { shardOf: (owner) => (owner === 'ann' ? 0 : 1) },
      queue: { oldestUnackedMs: async () => [clock.nowMs() - NOW_MS + 1000, 0] },
    },
  });
  const timers = await lose(['ann', 'bob']);
  await sweepFor(7000);
  expect([...(await timesOf(index, timers)).keys()]).toEqual([timers[1]?.id]);
  await sweepFor(52_900);
  expect([...(await timesOf(index, timers)).keys()]).toEqual([timers[1]?.id]);
  await sweepFor(1100);
  expect((await timesOf(index, timers)).size).toBe(2);
});

it.each(['paused', 'unknown'])('finds what lies behind 10,000 %s rows', async (state) => {
  const { index, store, sweepFor, lose } = await makeScene();
  if (state === 'paused') await store.setPaused('hint', true);
  await lose(
    Array.from({ length: 10_000 }, (_, at) => `player-${at}`),
    { kind: state === 'paused' ? 'hint' : 'nobody', dueAtMs: NOW_MS - 60_000 },
  );
  const timers = await lose(['ann']);
  await sweepFor(7000);
  expect((await timesOf(index, timers)).size).toBe(1);
  expect(await countOf(index)).toBe(1);
});

it('fires what lies behind 10,000 paused rows while the index is away', async () => {
  const { store, sweepFor, lose, fired } = await makeScene({ isAway: true });
  await store.setPaused('hint', true);
  await lose(
    Array.from({ length: 10_000 }, (_, at) => `player-${at}`),
    { kind: 'hint', dueAtMs: NOW_MS - 60_000 },
  );
  const [timer] = await lose(['ann']);
  await sweepFor(100);
  expect(new Set(fired)).toEqual(new Set([timer?.id]));
});

it('counts a row once a minute that nobody fires, and does not put it again while the index has it', async () => {
  const puts: number[] = [];
  const { index, sweepFor, lose, swept } = await makeScene({
    faults: {
      ...noHandOff,
      orders: {
        put: async (entries) => {
          puts.push(entries.length);
          return index.orders.put(entries);
        },
      },
    },
  });
  await lose(['ann', 'bob']);
  await sweepFor(59_000);
  expect(puts).toEqual([2]);
  expect(swept()).toBe(2);
  await sweepFor(10_000);
  expect(swept()).toBe(4);
});

it('puts a row again when it was handed off and lost once more', async () => {
  const { index, clock, sweepFor, lose } = await makeScene();
  const timers = await lose(['ann']);
  await sweepFor(3000);
  await index.handOffs.handOff(0, clock.nowMs(), 10);
  await index.queue.ack(await index.queue.receive(10, 0, new AbortController().signal));
  await sweepFor(3000);
  expect((await timesOf(index, timers)).size).toBe(1);
});

it('hands off what the index has and no dispatcher takes', async () => {
  const { index, sweepFor, lose } = await makeScene({ faults: {} });
  const timers = await lose(['ann']);
  await index.orders.put(timers.map(entryOf));
  await sweepFor(3000);
  const deliveries = await index.queue.receive(10, 0, new AbortController().signal);
  expect(deliveries.flatMap((delivery) => delivery.timers.map(({ timerId }) => timerId))).toEqual([timers[0]?.id]);
});

it('brings forward what the index has much later, and leaves alone what comes again within a second', async () => {
  const { index, clock, sweeper, lose, swept } = await makeScene();
  const timers = await lose(['ann', 'bob']);
  const [late, soon] = timers.map(entryOf);
  if (late === undefined || soon === undefined) throw new Error('there are two');
  await index.orders.put([{ ...late, fireAtMs: NOW_MS + DAY_MS }]);
  for (let second = 1; second <= 3; second += 1) {
    clock.advance(1000);
    await index.orders.put([{ ...soon, fireAtMs: clock.nowMs() + 1000 }]);
    await sweeper.tick();
  }
  const times = await timesOf(index, timers);
  expect(times.get(late.timerId)).toBe(NOW_MS + 2000);
  expect(times.get(soon.timerId)).toBe(NOW_MS + 4000);
  expect(swept()).toBe(1);
});
