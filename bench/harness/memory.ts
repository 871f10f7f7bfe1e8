import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects all garbage. */
export const collectGarbage: () => void = runInNewContext('gc');

/** The reachable memory, with array buffers, which are freed a turn later than their owners. */
export const memoryBytes = async (): Promise<number> => {
  for (let time = 0; time < 3; time += 1) {
    collectGarbage();
    await setImmediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};
