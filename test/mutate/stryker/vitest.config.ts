// What Stryker runs each mutant with: the quick tests of one room, which `try-files.ts` names in the environment.
import { matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { testsOf } from '../record/mutated-rooms.ts';

const tests = testsOf(process.env.KIBBLE_MUTATED_ROOM);

/** The first failure ends a try, so quick examples come before laws of a thousand cases. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number =>
      tests.findIndex((glob) => matchesGlob(moduleId, `**/${glob}`));
    return files.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}

export default defineConfig({
  test: {
    include: [...tests],
    setupFiles: ['test/support/properties/property-seed.ts', 'test/mutate/setup/no-shrinking.ts'],
    globalSetup: ['test/mutate/setup/provided.ts'],
    maxWorkers: 1,
    sequence: { sequencer: AsListed },
    testTimeout: 60_000,
    hookTimeout: 30_000,
  },
});
