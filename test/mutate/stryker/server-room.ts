// All tests of a room as one file, in their order: a process and the modules of each file would cost more than its tests.
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'vitest';
import { testsOf } from '../record/mutated-rooms.ts';

const name = process.env.KIBBLE_MUTATED_ROOM;

for (const glob of testsOf(name)) {
  for (const file of globSync(glob).toSorted()) {
    // Their hooks are their own.
    describe(file, () => import(path.resolve(file)));
  }
}
