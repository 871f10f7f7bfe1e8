import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Sample } from './row.ts';

/** Runs a program in a thread, so that each measurement has its own heap and compiled code. It posts its sample. */
export const inOwnThread = async (program: string, workerData: object): Promise<Sample> => {
  const worker = new Worker(program, { workerData });
  const [sample] = await once(worker, 'message');
  await worker.terminate();
  return sample as Sample;
};
