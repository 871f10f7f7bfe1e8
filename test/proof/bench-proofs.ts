import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Result } from '../../bench/harness/report/result.ts';
import { judge } from '../../bench/harness/report/verdict.ts';
import type { Proof } from '../support/properties/prove.ts';

/** What is measured and not tested, as it was last recorded: lateness when all is well, and what a flood costs the others. */
const recorded = [
  { name: 'healthy', row: 10 },
  { name: 'herd', row: 10 },
  { name: 'floods', row: 18 },
] as const;

/** A bench speaks for its row where every target was reached; what was not is told either way. */
export const benchProofs = (folder: string): Proof[] =>
  recorded.flatMap(({ name, row }): Proof[] => {
    const file = path.join(folder, `${name}.json`);
    if (!existsSync(file)) return [];
    const result = Result.parse(JSON.parse(readFileSync(file, 'utf8')));
    const verdicts = result.targets.map((target) => judge(target, result.samples));
    const seen = verdicts.map(
      ({ target, found, isReached }) =>
        `${name}, ${target.of}: ${target.figure} ${Math.round(found?.median ?? Number.NaN)}${isReached ? '' : ' (missed)'}`,
    );
    const isReached = verdicts.length > 0 && verdicts.every((verdict) => verdict.isReached);
    return [{ row, tries: isReached ? 1 : 0, of: 'recorded benches', seen: seen.join('; ') }];
  });
