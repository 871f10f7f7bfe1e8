import fc from 'fast-check';
import { describe, inject, it } from 'vitest';
import { dueIndexContract } from '../contract/due-index.ts';
import { playBesideModel, stepsArbitrary } from '../model/due-index-model.ts';
import { HANG_MS, tries } from '../proof/table/tries.ts';
import { beginGeneration, startRedisIndex } from '../support/engine/due-index.ts';
import { prove } from '../support/properties/prove.ts';
import { Kernel } from './world/kernel.ts';
import { SimDueIndex } from './world/sim-due-index.ts';
import { SimProcess } from './world/sim-process.ts';
import { SimRedis } from './world/sim-redis.ts';
import { Wire } from './world/wire.ts';

/** Time that passes as fast as it is waited for. */
const simulatedIndex = async () => {
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

const url = inject('redisUrl');
const SEQUENCES = tries({ test: 200, proof: 2_000 });

dueIndexContract('simulated Redis', simulatedIndex);

describe.skipIf(url === '')('with a Redis server', () => {
  it(`does what it does, in ${SEQUENCES} sequences: both hold each timer at its newest time, and yield it then`, {
    timeout: HANG_MS,
  }, async (context) => {
    const makers = [simulatedIndex, () => startRedisIndex({ url })];
    await fc.assert(
      fc.asyncProperty(stepsArbitrary, async (steps) => {
        for (const make of makers) {
          const { index, dispose } = await make();
          await playBesideModel(index, steps).finally(dispose);
        }
      }),
      { numRuns: SEQUENCES },
    );
    prove(context, { row: 4, tries: SEQUENCES, of: 'sequences of commands, on fakes and on Redis' });
  });
});
