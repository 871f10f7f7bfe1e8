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

/** Replaces one row. */
export const keepRow = (name: string, recorded: Baseline['rows'][string]): void =>
  write({ ...readBaseline().rows, [name]: recorded });

/** Forgets the rows that are gone. */
export const keepOnly = (names: readonly string[]): void =>
  write(Object.fromEntries(Object.entries(readBaseline().rows).filter(([name]) => names.includes(name))));

const write = (rows: Baseline['rows']): void => writeFileSync(file, `${JSON.stringify({ rows }, null, 1)}\n`);
