import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

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
});
export type LastRun = z.infer<typeof LastRun>;

const file = path.join(import.meta.dirname, 'last-run.json');

export const readLastRun = (): LastRun => LastRun.parse(JSON.parse(readFileSync(file, 'utf8')));

export const keepLastRun = (run: LastRun): void => writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
