import { expect, it } from 'vitest';
import { IndexUnavailable } from '../../../../server/timer/index/due-index.ts';
import { entryOf } from '../../../../server/timer/model/index-entry.ts';
import { countOf } from '../../../support/engine/due-index.ts';
import { DAY_MS, makeScene, NOW_MS, noHandOff, timesOf } from './sweeper-scene.ts';

it('puts what a whole index lacks, two seconds after it was due, and runs no handler', async () => {
  const { clock, index, sweeper, batches, lose, swept } = await makeScene();
  const timers = await lose(['ann']);
  clock.advance(1999);
  await sweeper.tick();
  expect((await timesOf(index, timers)).size).toBe(0);
  clock.advance(1);
  await sweeper.tick();
  expect([...(await timesOf(index, timers)).values()]).toEqual([NOW_MS + 2000]);
  expect(batches).toEqual([]);
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

it('fires all rows itself, page by page, while an index that seems to be there refuses a command', async () => {
  const fireTimes = () => Promise.reject(new IndexUnavailable(new Error('NOPERM')));
  const { sweepFor, lose, batches } = await makeScene({ faults: { ...noHandOff, orders: { fireTimes } } });
  const timers = await lose(Array.from({ length: 6000 }, (_, at) => `player-${at}`));
  await sweepFor(10_000);
  expect(new Set(batches.flat())).toEqual(new Set(timers.map((timer) => timer?.id)));
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

it('puts a row again two seconds later, and no sooner, when it was handed off and lost once more', async () => {
  const { index, clock, sweeper, lose } = await makeScene();
  const timers = await lose(['ann']);
  clock.advance(2000);
  await sweeper.tick();
  await index.handOffs.handOff(0, clock.nowMs(), 10);
  await index.queue.ack(await index.queue.receive(10, 0, new AbortController().signal));
  clock.advance(1999);
  await sweeper.tick();
  expect((await timesOf(index, timers)).size).toBe(0);
  clock.advance(1);
  await sweeper.tick();
  expect((await timesOf(index, timers)).size).toBe(1);
});

it('puts no paused kind', async () => {
  const { index, store, sweepFor, lose } = await makeScene();
  await store.setPaused('hint', true);
  const timers = await lose(['ann'], { kind: 'hint' });
  await sweepFor(5000);
  expect((await timesOf(index, timers)).size).toBe(0);
});

it('puts 5,000 rows a turn, and the next of them 0.05 s later', async () => {
  const { clock, index, sweeper, lose } = await makeScene();
  await lose(Array.from({ length: 5050 }, (_, at) => `player-${at}`));
  clock.advance(2000);
  expect(await sweeper.tick()).toBe(50);
  expect(await countOf(index)).toBe(5000);
  expect(await sweeper.tick()).toBe(1000);
  expect(await countOf(index)).toBe(5050);
});

it.each([
  ['two seconds ago', 0],
  ['now', 2000],
])('hands off what the index has for %s and no dispatcher takes', async (_when, afterMs) => {
  const { clock, index, sweeper, lose } = await makeScene({ faults: {} });
  const timers = await lose(['ann']);
  await index.orders.put(timers.map((timer) => ({ ...entryOf(timer), fireAtMs: NOW_MS + afterMs })));
  clock.advance(2000);
  await sweeper.tick();
  const deliveries = await index.queue.receive(10, 0, new AbortController().signal);
  expect(deliveries.flatMap((delivery) => delivery.timers.map(({ timerId }) => timerId))).toEqual([timers[0]?.id]);
});

it('hands off of each shard with such rows, once', async () => {
  const shards: number[] = [];
  const { clock, index, sweeper, lose } = await makeScene({
    faults: {
      inUse: { shardOf: (owner) => Number(owner) },
      queue: { oldestUnackedMs: async () => [0, 0, 0, 0] },
      handOffs: {
        handOff: async (shard) => {
          shards.push(shard);
          return { moved: 0, nextFireAtMs: undefined };
        },
      },
    },
  });
  const timers = await lose(['1', '3', '3']);
  await index.orders.put(timers.map(entryOf));
  clock.advance(2000);
  await sweeper.tick();
  expect(shards.sort()).toEqual([1, 3]);
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

it('brings forward what was moved 1,500 times while the index was away', async () => {
  const { store, index, sweepFor, lose } = await makeScene();
  const [timer] = await lose(['ann'], { dueAtMs: NOW_MS + DAY_MS });
  if (timer === undefined) throw new Error('there is one');
  await index.orders.put([entryOf(timer)]);
  const shift = (byMs: number) => ({ target: { timerId: timer.id }, change: 'shift' as const, byMs });
  await store.change([...Array.from({ length: 1499 }, () => shift(1)), shift(-DAY_MS - 1499)]);
  await sweepFor(3000);
  expect((await timesOf(index, [timer])).get(timer.id)).toBeLessThanOrEqual(NOW_MS + 3000);
});
