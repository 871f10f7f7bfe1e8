import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Proof } from '../../support/properties/prove.ts';
import { rowOf } from '../table/rows.ts';

/** A run by hand that takes too long for every change. */
const LongRun = z.object({
  what: z.string(),
  command: z.string(),
  minutes: z.number(),
  commit: z.string(),
  /** Of `server`, `shared` and `client` (`build/source-tree.ts`). */
  tree: z.string(),
  /** For which promise it speaks, what it tried of it, and how often. */
  row: z.number(),
  of: z.string(),
  count: z.number(),
  /** Everything that was tried, in words. */
  tries: z.string(),
  violations: z.number(),
  /** What it found, and what came of that. */
  found: z.string(),
  /** Of `docs/images`. */
  picture: z.string().exactOptional(),
});
export type LongRun = z.infer<typeof LongRun>;

export const readLongRuns = (): readonly LongRun[] =>
  z.array(LongRun).parse(JSON.parse(readFileSync(path.join(import.meta.dirname, 'long-runs.json'), 'utf8')));

/** What recorded runs of the same tree show where the table lets them count. */
export const recordedProofs = (longRuns: readonly LongRun[], tree: string | undefined): Proof[] =>
  longRuns
    .filter((run) => run.tree === tree && run.violations === 0)
    .filter(({ row, of }) => rowOf(row).wants.some((want) => want.isRecorded === true && want.of === of))
    .map(({ row, of, count, command }) => ({ row, of, tries: count, seen: `recorded: ${command}` }));
