import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import { Loop } from '../../../server/runtime/loop.ts';
import { StoreClock } from '../../../server/timer/clock/store-clock.ts';
import { Dispatcher } from '../../../server/timer/dispatch/dispatcher.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';
import { beginGeneration } from '../../../test/support/engine/begin-generation.ts';
import { countOf } from '../../../test/support/engine/count-of.ts';
import { silentLog } from '../../../test/support/log/silent-log.ts';
import { type OpenIndex, openRedisIndex } from '../../lateness/due-index.ts';
import { ownerOf } from '../../lateness/due-times.ts';
import type { Item, OpenStrategy, Strategy, Surroundings } from './strategy.ts';

const LIMIT = 500;
const WAIT_MS = 1_000;

/** The product's index in Redis and its dispatchers, woken when an earlier head comes; without the rows. */
export const kibbleRedis: OpenStrategy = async (surroundings) =>
  onIndex(await openRedisIndex(surroundings.redisUrl), surroundings);

/** The product's index on its timing wheel; without the rows. */
export const kibbleWheel: OpenStrategy = async (surroundings) =>
  onIndex({ index: new MemoryDueIndex(surroundings.clock), close: () => undefined }, surroundings);

const onIndex = async ({ index, close }: OpenIndex, { clock, hand }: Surroundings): Promise<Strategy> => {
  await beginGeneration(index, { number: 1, shards: index.inUse.shards });
  const storeClock = new StoreClock({ nowMs: async () => clock.nowMs() }, clock);
  const dispatchers = Array.from(
    { length: index.inUse.shards },
    (_, shard) => new Dispatcher({ index, shard, isOwn: () => true, storeClock, limit: LIMIT }),
  );
  const worker = new Loop({
    name: 'worker',
    clock: systemClock,
    log: silentLog,
    tick: (signal) => work(index, hand, signal),
  });
  worker.start();
  // A change of a timer comes with a newer revision, as the rows have it.
  let revision = 1;
  return {
    schedule: (items) => put(index, items, revision),
    move: (moves) => {
      revision += 1;
      return put(index, moves, revision);
    },
    loops: dispatchers.map(({ tick }) => tick),
    onWake: (wake) => {
      index.handOffs.onEarlierHead((shard, fireAtMs) =>
        dispatchers.forEach((dispatcher, at) => {
          if (dispatcher.isEarlier(shard, fireAtMs)) wake(at);
        }),
      );
    },
    waiting: () => countOf(index),
    close: async () => {
      await worker.stop();
      close();
    },
  };
};

const put = async (index: DueIndex, items: readonly Item[], revision: number): Promise<void> => {
  await index.orders.put(
    items.map(({ id, dueAtMs }): IndexEntry => {
      return { timerId: String(id), owner: ownerOf(id), fireAtMs: dueAtMs, revision };
    }),
  );
};

const work = async (index: DueIndex, hand: Surroundings['hand'], signal: AbortSignal): Promise<number> => {
  const deliveries = await index.queue.receive(LIMIT, WAIT_MS, signal);
  if (deliveries.length > 0) hand(deliveries.flatMap(({ timers }) => timers.map(({ timerId }) => Number(timerId))));
  await index.queue.ack(deliveries);
  return 0;
};
