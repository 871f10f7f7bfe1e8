import { beginGeneration } from '../../support/engine/begin-generation.ts';
import { Kernel } from './kernel.ts';
import { SimDueIndex } from './sim-due-index.ts';
import { SimProcess } from './sim-process.ts';
import { SimRedis } from './sim-redis.ts';
import { Wire } from './wire.ts';

/** Time that passes as fast as it is waited for. */
export const simulatedIndex = async () => {
  const kernel = new Kernel(1);
  const process = new SimProcess(kernel, 'node', 0);
  const redis = new SimRedis(() => kernel.nowMs);
  const wire = new Wire({ kernel, name: 'Redis' });
  const index = new SimDueIndex({ process, redis, wire, shards: 4, isHeard: () => true });
  let isRunning = true;
  const turn = async (): Promise<void> => {
    while (isRunning) await kernel.run(kernel.nowMs + 1);
  };
  const running = turn();
  const dispose = async (): Promise<void> => {
    isRunning = false;
    await running;
  };
  await beginGeneration(index, { number: 1, shards: 4 });
  return { index, dispose };
};
