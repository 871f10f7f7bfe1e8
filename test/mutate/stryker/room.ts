// All tests of a room as one file, in their order: a process and the modules of each file would cost more than its tests.
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'vitest';
import { testsOf } from '../record/mutated-rooms.ts';

for (const glob of testsOf(process.env.KIBBLE_MUTATED_ROOM)) {
  for (const file of globSync(glob).toSorted()) {
    // So that their hooks stay their own.
    describe(file, () => import(path.resolve(file)));
  }
}
