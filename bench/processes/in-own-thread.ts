import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Sample } from '../harness/row.ts';

export interface Exercise {
  readonly queue: 'wheel' | 'heap';
  readonly pending: number;
  readonly cycles: number;
}

export interface FullIndex {
  readonly pending: number;
  readonly timersEach: number;
  /** Steps of 20 ms of the index's time; in each step 20 timers are added, 20 move and 20 come due. */
  readonly steps: number;
}

export const exerciseInOwnThread = (workerData: Exercise): Promise<Sample> =>
  sampleOf(new Worker(new URL('./wheel-exercise.ts', import.meta.url), { workerData }));

export const fullIndexInOwnThread = (workerData: FullIndex): Promise<Sample> =>
  sampleOf(new Worker(new URL('./full-index.ts', import.meta.url), { workerData }));

/** Runs in a thread, so that each measurement has its own heap and compiled code. */
const sampleOf = async (worker: Worker): Promise<Sample> => {
  const [sample] = await once(worker, 'message');
  await worker.terminate();
  return sample as Sample;
};
