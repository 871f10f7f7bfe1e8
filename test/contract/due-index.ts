import { deliveryQueueContract } from './due-index/delivery-queue.ts';
import { dueOrdersContract } from './due-index/due-orders.ts';
import { generationInUseContract } from './due-index/generation-in-use.ts';
import { handOffsContract } from './due-index/hand-offs.ts';
import { indexMarksContract } from './due-index/index-marks.ts';
import type { MakeIndex } from './due-index/index-scene.ts';

/** The contract of every due index, port by port. */
export const dueIndexContract = (name: string, make: MakeIndex): void => {
  generationInUseContract(name, make);
  dueOrdersContract(name, make);
  handOffsContract(name, make);
  deliveryQueueContract(name, make);
  indexMarksContract(name, make);
};
