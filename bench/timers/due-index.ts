import { random } from '../../server/adapter/machine/random.ts';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import { RedisDueIndex } from '../../server/adapter/redis/index/redis-due-index.ts';
import { createRedisClient } from '../../server/adapter/redis/link/redis-client.ts';
import type { DueIndex } from '../../server/timer/index/due-index.ts';

const SHARDS = 16;

export interface OpenIndex {
  readonly index: DueIndex;
  close(): void;
}

export const openWheel = async (): Promise<OpenIndex> => ({
  index: new MemoryDueIndex(systemClock),
  close: () => undefined,
});

/** With its own keys. */
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
