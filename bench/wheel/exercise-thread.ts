import { parentPort, workerData } from 'node:worker_threads';
import { exercise } from './exercise.ts';
import type { Exercise } from './in-own-thread.ts';
import { heapQueue, wheelQueue } from './timer-queue.ts';

const { queue, pending, cycles } = workerData as Exercise;
const sample =
  queue === 'wheel' ? await exercise(wheelQueue, pending, cycles) : await exercise(heapQueue, pending, cycles);
parentPort?.postMessage(sample);
