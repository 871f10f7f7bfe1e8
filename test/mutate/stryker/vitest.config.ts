// What Stryker runs each mutant with: the quick tests of one room, which `try-files.ts` names in the environment.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/mutate/stryker/room.ts'],
    setupFiles: ['test/support/properties/property-seed.ts', 'test/mutate/setup/no-shrinking.ts'],
    globalSetup: ['test/mutate/setup/provided.ts'],
    maxWorkers: 1,
    // Three times what the longest test takes: a mutant that hangs its first test ends by it.
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
