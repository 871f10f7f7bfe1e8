import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { Loop } from '../../server/runtime/loop.ts';
import { StoreClock } from '../../server/timer/clock/store-clock.ts';
import { Dispatcher } from '../../server/timer/dispatch/dispatcher.ts';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import type { IndexEntry } from '../../server/timer/model/index-entry.ts';
import { silentLog } from '../../test/support/log/silent-log.ts';
import type { Sample } from '../harness/row.ts';
import { dueTimes, farTimes, ownerOf, type Plan } from './due-times.ts';
import { LatenessLog } from './lateness-log.ts';

const LIMIT = 500;
const WAIT_MS = 1000;

/** From the due time until a worker has the timer in its hands: the engine's dispatchers, and nothing in Postgres. */
export const handOffLateness = async (index: DueIndex, pending: number, plan: Plan): Promise<Sample> => {
  await index.marks.begin(index.inUse.number);
  await index.orders.put(farTimes(pending).map((fireAtMs, id) => entry(id, fireAtMs)));
  await index.marks.finish(index.inUse.number);
  const times = dueTimes(plan);
  const log = new LatenessLog(times);
  const stop = startLoops(index, (timerId) => log.note(times.atMs[Number(timerId) - pending] ?? 0));
  await index.orders.put(times.atMs.map((dueAtMs, at) => entry(pending + at, dueAtMs)));
  return log.sample().finally(stop);
};

const entry = (id: number, fireAtMs: number): IndexEntry => ({
  timerId: String(id),
  owner: ownerOf(id),
  fireAtMs,
  revision: 1,
});

const startLoops = (index: DueIndex, onTimer: (timerId: string) => void): (() => Promise<void>) => {
  const storeClock = new StoreClock({ nowMs: async () => Date.now() }, systemClock);
  const dispatchers = Array.from({ length: index.inUse.shards }, (_, shard) => {
    const dispatcher = new Dispatcher({
      index,
      shard,
      isOwn: () => true,
      storeClock,
      limit: LIMIT,
    });
    return { dispatcher, loop: loop(dispatcher.tick) };
  });
  const stopListening = index.handOffs.onEarlierHead((shard, fireAtMs) => {
    for (const { dispatcher, loop } of dispatchers) if (dispatcher.isEarlier(shard, fireAtMs)) loop.wake();
  });
  const worker = loop(async (signal) => {
    const deliveries = await index.queue.receive(LIMIT, WAIT_MS, signal);
    for (const { timers } of deliveries) for (const { timerId } of timers) onTimer(timerId);
    await index.queue.ack(deliveries);
    return 0;
  });
  const loops = [worker, ...dispatchers.map((each) => each.loop)];
  for (const each of loops) each.start();
  return async () => {
    stopListening();
    await Promise.all(loops.map((each) => each.stop()));
  };
};

const loop = (tick: (signal: AbortSignal) => Promise<number>): Loop =>
  new Loop({ name: 'bench', clock: systemClock, log: silentLog, tick });
