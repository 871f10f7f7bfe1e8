// The tests of each mutant of a Lua script: the contract of the due index on one real Redis.
import { defineConfig } from 'vitest/config';
import { luaRoom } from '../record/mutated-rooms.ts';

export default defineConfig({
  test: {
    include: [...luaRoom.tests],
    // A Cluster is three servers more, and runs the same scripts.
    testNamePattern: /^(?!.*three masters)/,
    setupFiles: [
      'test/support/properties/property-seed.ts',
      'test/mutate/setup/no-shrinking.ts',
      'test/mutate/lua/plant.ts',
    ],
    globalSetup: ['test/mutate/setup/provided.ts'],
    maxWorkers: 1,
    fileParallelism: false,
    bail: 1,
    // Some mutants lose what a test waits for.
    testTimeout: 10_000,
    hookTimeout: 10_000,
  },
});
