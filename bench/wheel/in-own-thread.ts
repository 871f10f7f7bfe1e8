import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Sample } from '../harness/row.ts';

export interface Exercise {
  readonly queue: 'wheel' | 'heap';
  readonly pending: number;
  readonly cycles: number;
}

/** In a thread, so that each measurement has a heap and compiled code of its own. */
export const exerciseInOwnThread = async (workerData: Exercise): Promise<Sample> => {
  const worker = new Worker(new URL('./exercise-thread.ts', import.meta.url), { workerData });
  const [sample] = await once(worker, 'message');
  await worker.terminate();
  return sample as Sample;
};
