import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/properties/slowest-first.ts';

// Node keeps what it compiled: for the workers, and for the servers and commands that tests start as processes.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules/.cache/kibble/compiled');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    setupFiles: ['test/support/properties/property-seed.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // On two cores: the longest files wait for processes that are killed, frozen or started, and leave a core idle.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
