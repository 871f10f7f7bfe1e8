import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Result } from '../../bench/harness/result.ts';
import { judge } from '../../bench/harness/verdict.ts';
import type { Proof } from './prove.ts';

/** The benches that measure how late things are when all is well, as they were last recorded. */
const recorded = ['healthy', 'herd'] as const;
const ROW = 10;

/** Speaks for lateness where every target was reached; what was not is told either way. */
export const benchProofs = (folder: string): Proof[] =>
  recorded.flatMap((name): Proof[] => {
    const file = path.join(folder, `${name}.json`);
    if (!existsSync(file)) return [];
    const result = Result.parse(JSON.parse(readFileSync(file, 'utf8')));
    const verdicts = result.targets.map((target) => judge(target, result.samples));
    const seen = verdicts.map(
      ({ target, found, isReached }) =>
        `${name}, ${target.of}: ${target.figure} ${Math.round(found?.median ?? Number.NaN)}${isReached ? '' : ' (missed)'}`,
    );
    const isReached = verdicts.length > 0 && verdicts.every((verdict) => verdict.isReached);
    return [{ row: ROW, tries: isReached ? 1 : 0, of: 'recorded benches', seen: seen.join('; ') }];
  });
