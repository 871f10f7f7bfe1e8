import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { Generation } from '../../../server/timer/index/generation.ts';

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
