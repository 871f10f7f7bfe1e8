import fc from 'fast-check';
import { describe, inject, it } from 'vitest';
import { dueIndexContract } from '../contract/due-index.ts';
import { playBesideModel, stepsArbitrary } from '../model/due-index-model.ts';
import { tries } from '../proof/table/tries.ts';
import { startRedisIndex } from '../support/engine/redis-due-index.ts';
import { prove } from '../support/properties/prove.ts';
import { simulatedIndex } from './world/simulated-index.ts';

const url = inject('redisUrl');
const SEQUENCES = tries({ test: 200, proof: 2_000 });

dueIndexContract('simulated Redis', simulatedIndex);

describe.skipIf(url === '')('with a Redis server', () => {
  it(`does what it does, in ${SEQUENCES} sequences: both hold each timer at its newest time, and yield it then`, {
    timeout: 300_000,
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
