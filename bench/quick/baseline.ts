import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { Machine } from '../harness/machine.ts';

const file = path.join(import.meta.dirname, '../results/quick.json');

/** What quick runs are compared with: the rounds of quick runs, row by row. */
const Baseline = z.object({
  rows: z.record(
    z.string(),
    z.object({
      atDay: z.string(),
      commit: z.string(),
      machine: Machine,
      samples: z.record(z.string(), z.record(z.string(), z.array(z.number()).readonly())),
    }),
  ),
});
export type Baseline = z.infer<typeof Baseline>;

export const readBaseline = (): Baseline =>
  existsSync(file) ? Baseline.parse(JSON.parse(readFileSync(file, 'utf8'))) : { rows: {} };

/** Replaces the rows that were measured. With `isWhole` what else was recorded is of rows that are gone. */
export const writeBaseline = (rows: Baseline['rows'], isWhole: boolean): void => {
  const kept = isWhole ? {} : readBaseline().rows;
  writeFileSync(file, `${JSON.stringify({ rows: { ...kept, ...rows } }, null, 1)}\n`);
};
