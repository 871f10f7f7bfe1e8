import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** A full collection, in which nothing else runs. */
export const collectGarbage: () => void = runInNewContext('gc');

/** How much memory lives; array buffers included, whose end is noticed a turn later than that of their owners. */
export const memoryBytes = async (): Promise<number> => {
  for (let time = 0; time < 3; time += 1) {
    collectGarbage();
    await setImmediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};
