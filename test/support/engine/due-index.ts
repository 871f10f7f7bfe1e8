import { random } from '../../../server/adapter/machine/random.ts';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { RedisDueIndex } from '../../../server/adapter/redis/index/redis-due-index.ts';
import { createRedisClient } from '../../../server/adapter/redis/link/redis-client.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { Generation } from '../../../server/timer/index/generation.ts';

interface Options {
  readonly url: string;
  readonly prefix?: string;
  readonly shards?: number;
  /** Default: generation 1 is in use, and whole. */
  readonly isBegun?: boolean;
  /** Changes the text of a script, as a fault would. */
  readonly plant?: (lua: string) => string;
}

/** An index under keys of its own, connected. */
export const startRedisIndex = async (options: Options) => {
  const { url, prefix = random.uniqueName(), shards = 4, isBegun = true, plant } = options;
  const client = createRedisClient(url);
  if (plant !== undefined) {
    const define = client.defineCommand.bind(client);
    client.defineCommand = (name, definition) => define(name, { ...definition, lua: plant(definition.lua) });
  }
  const index = new RedisDueIndex({ client, clock: systemClock, prefix, shards, consumer: random.uniqueName() });
  await index.start();
  if (isBegun) await beginGeneration(index, { number: 1, shards });
  return { index, client, prefix, dispose: async () => index.stop() };
};

/** Puts an empty generation into use, whole: it takes entries. */
export const beginGeneration = async (
  index: DueIndex,
  generation: Generation = { number: 1, shards: 1 },
): Promise<void> => {
  index.inUse.use(generation);
  await beginInUse(index);
};

/** Declares the generation in use whole, whatever it has. */
export const beginInUse = async (index: DueIndex): Promise<void> => {
  await index.marks.begin(index.inUse.number);
  await index.marks.finish(index.inUse.number);
};

/** How many entries wait to be due, in all shards. */
export const countOf = async ({ orders }: Pick<DueIndex, 'orders'>): Promise<number> =>
  (await orders.counts()).reduce((sum, count) => sum + count, 0);
