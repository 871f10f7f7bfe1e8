import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { HANG_MS, isProof } from './test/proof/table/tries.ts';
import { SlowestFirst } from './test/support/properties/slowest-first.ts';

// Node keeps what it compiled: for the workers, and for the servers and commands that tests start as processes.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules/.cache/kibble/compiled');

/** What these load keeps something for its whole process: Colyseus its rooms, a page its signals, others end it. */
const alone = ['test/{browser,cli,client,e2e,fuzz,gate,load,ops-page,reference,room,wiring}/**/*.test.ts'];
/** What these judge is how late things are: beside tests that use the processor up they would judge the machine. */
const timed = ['test/chaos/**/*.test.ts'];

/** Tests of a game that is made of it elsewhere. */
const foreign = ['test/e2e/template/**'];

const common = {
  setupFiles: ['test/support/properties/property-seed.ts', 'test/support/machine/end-on-sigterm.ts'],
  pool: 'forks',
  // On two cores, which four keep so busy that a page waits seconds for its turn, without being done sooner.
  maxWorkers: 3,
  testTimeout: isProof ? HANG_MS : 20_000,
  expect: { poll: { timeout: 10_000 } },
  hookTimeout: 30_000,
} as const;

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: common.maxWorkers,
    sequence: { sequencer: SlowestFirst },
    projects: [
      { test: { ...common, name: 'timed', include: timed, sequence: { groupOrder: 0 } } },
      { test: { ...common, name: 'alone', include: alone, exclude: foreign, sequence: { groupOrder: 1 } } },
      // A process for each file would load the same modules three hundred times.
      {
        test: {
          ...common,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...timed],
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
