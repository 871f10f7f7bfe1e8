import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Findings } from './findings.ts';

const Proof = z.object({ row: z.number(), tries: z.number(), of: z.string(), seen: z.string().exactOptional() });

/** What `npm run proof` found last, for its page. */
const LastRun = z.object({
  commit: z.string(),
  /** Of `server`, `shared` and `client` (`build/source-tree.ts`). */
  tree: z.string(),
  day: z.string(),
  machine: z.string(),
  minutes: z.number(),
  proofs: z.array(Proof),
  /** Names of what failed, by row. */
  failures: z.array(z.tuple([z.number(), z.array(z.string())])),
  /** Tries of one row alone, with the sources as they were, and what had failed before; the last has taken the place of the first. */
  again: z.array(z.object({ row: z.number(), commit: z.string(), day: z.string(), failedBefore: z.array(z.string()) })),
});
export type LastRun = z.infer<typeof LastRun>;

const file = path.join(import.meta.dirname, 'last-run.json');

export const readLastRun = (): LastRun => LastRun.parse(JSON.parse(readFileSync(file, 'utf8')));

export const keepLastRun = (run: LastRun): void => writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);

/** With what a row found that was tried again, alone. */
export const withRowAgain = (
  run: LastRun,
  { row, commit, day, findings }: Omit<LastRun['again'][number], 'failedBefore'> & { readonly findings: Findings },
): LastRun => {
  const failed = findings.failures.get(row);
  const failedBefore = run.failures.filter(([failing]) => failing === row).flatMap(([, names]) => names);
  return {
    ...run,
    proofs: [
      ...run.proofs.filter((proof) => proof.row !== row),
      ...findings.proofs.filter((proof) => proof.row === row),
    ],
    failures: [
      ...run.failures.filter(([failing]) => failing !== row),
      ...(failed ? [[row, failed] as [number, string[]]] : []),
    ],
    again: [...run.again, { row, commit, day, failedBefore }],
  };
};
