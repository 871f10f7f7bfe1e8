import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import { random } from '../../server/adapter/random.ts';
import { createRedisClient } from '../../server/adapter/redis/redis-client.ts';
import { RedisDueIndex } from '../../server/adapter/redis/redis-due-index.ts';
import { systemClock } from '../../server/adapter/system-clock.ts';
import type { DueIndex } from '../../server/timer/due-index.ts';

const SHARDS = 16;

export interface OpenIndex {
  readonly index: DueIndex;
  close(): void;
}

export const openWheel = async (): Promise<OpenIndex> => ({
  index: new MemoryDueIndex(systemClock),
  close: () => undefined,
});

/** Under keys of its own. */
export const openRedisIndex = async (url: string): Promise<OpenIndex> => {
  const index = new RedisDueIndex({
    client: createRedisClient(url),
    clock: systemClock,
    shards: SHARDS,
    prefix: random.uniqueName(),
    consumer: random.uniqueName(),
  });
  await index.start();
  return { index, close: () => index.stop() };
};
