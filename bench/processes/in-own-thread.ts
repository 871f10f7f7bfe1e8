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
  /** Of 20 ms of the index's time, in each of which 20 timers come, 20 move and 20 fall due. */
  readonly steps: number;
}

export const exerciseInOwnThread = (workerData: Exercise): Promise<Sample> =>
  sampleOf(new Worker(new URL('./wheel-exercise.ts', import.meta.url), { workerData }));

export const fullIndexInOwnThread = (workerData: FullIndex): Promise<Sample> =>
  sampleOf(new Worker(new URL('./full-index.ts', import.meta.url), { workerData }));

/** Of a thread, so that each measurement has a heap and compiled code of its own. */
const sampleOf = async (worker: Worker): Promise<Sample> => {
  const [sample] = await once(worker, 'message');
  await worker.terminate();
  return sample as Sample;
};
