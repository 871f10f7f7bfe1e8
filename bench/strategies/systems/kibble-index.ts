import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import { beginGeneration, countOf } from '../../../test/support/engine/due-index.ts';
import { type OpenIndex, openRedisIndex } from '../../timers/due-index.ts';
import { ownerOf } from '../../timers/due-times.ts';
import { openHandOffs } from '../../timers/hand-offs.ts';
import type { Item, OpenStrategy, Strategy, Surroundings } from './strategy.ts';

/** The product's index in Redis and its dispatchers, woken by an earlier head; without the rows. */
export const kibbleRedis: OpenStrategy = async (surroundings) =>
  onIndex(await openRedisIndex(surroundings.redisUrl), surroundings);

/** The product's index on its timing wheel; without the rows. */
export const kibbleWheel: OpenStrategy = async (surroundings) =>
  onIndex({ index: new MemoryDueIndex(surroundings.clock), close: () => undefined }, surroundings);

const onIndex = async ({ index, close }: OpenIndex, { clock, hand }: Surroundings): Promise<Strategy> => {
  await beginGeneration(index, { number: 1, shards: index.inUse.shards });
  const { ticks, onWake, stop } = openHandOffs(index, clock, hand);
  // Each change of a timer has a newer revision, as in the rows.
  let revision = 1;
  return {
    schedule: (items) => put(index, items, revision),
    move: (moves) => {
      revision += 1;
      return put(index, moves, revision);
    },
    loops: ticks.map((tick) => () => tick(NEVER)),
    onWake,
    waiting: () => countOf(index),
    close: async () => {
      await stop();
      close();
    },
  };
};

const NEVER = new AbortController().signal;

const put = async (index: DueIndex, items: readonly Item[], revision: number): Promise<void> => {
  await index.orders.put(
    items.map(({ id, dueAtMs }) => ({ timerId: String(id), owner: ownerOf(id), fireAtMs: dueAtMs, revision })),
  );
};
