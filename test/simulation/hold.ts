import fc from 'fast-check';
import { type History, playHistory } from './history.ts';
import { faultsOf } from './judge-end.ts';
import type { Sabotage } from './sim-world.ts';

interface Tries {
  readonly histories: fc.Arbitrary<History>;
  readonly runs: number;
  readonly sabotage?: Sabotage;
  /** Of an earlier failure: tries that one first. */
  readonly replay?: { readonly seed: number; readonly path: string };
}

/** Throws the smallest history that ends badly, with the seed and path that repeat it. */
export const hold = ({ histories, runs, sabotage, replay }: Tries): Promise<void> =>
  fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const faults = faultsOf(await playHistory(history, sabotage));
      if (faults.length > 0) throw new Error(faults.join('\n'));
    }),
    // A planted fault needs no smallest example.
    { numRuns: runs, ...replay, endOnFailure: sabotage !== undefined },
  );
