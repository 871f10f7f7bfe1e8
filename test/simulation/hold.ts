import fc from 'fast-check';
import { type Ended, type History, playHistory } from './history.ts';
import { faultsOf } from './judge-end.ts';
import type { Sabotage } from './world/sim-world.ts';

interface Tries {
  readonly histories: fc.Arbitrary<History>;
  readonly runs: number;
  readonly sabotage?: Sabotage;
  /** Other histories for each; the one of the test run where there is none. */
  readonly seed?: number;
  /** Of an earlier failure with the same seed: tries that history alone. */
  readonly path?: string;
}

/** What was seen in all histories together. */
export interface Tally {
  histories: number;
  completions: number;
  doubledCalls: number;
  lostCommits: number;
  /** Transactions of the game. */
  transactions: number;
  /** Turns of own timers, each with its effect. */
  turns: number;
}

export const emptyTally = (): Tally => ({
  histories: 0,
  completions: 0,
  doubledCalls: 0,
  lostCommits: 0,
  transactions: 0,
  turns: 0,
});

/** What the judge found at the end of a history: not any error on the way. */
export class EndedBadly extends Error {}

/** Throws the smallest history that ends badly, with the seed and path that repeat it. */
export const hold = async ({ histories, runs, sabotage, seed, path }: Tries): Promise<Tally> => {
  const tally = emptyTally();
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const ended = await playHistory(history, sabotage);
      const faults = faultsOf(ended);
      if (faults.length > 0) throw new EndedBadly(faults.join('\n'));
      count(tally, ended);
    }),
    {
      numRuns: runs,
      ...(seed !== undefined && { seed }),
      ...(path !== undefined && { path }),
      // A planted fault needs no smallest example.
      endOnFailure: sabotage !== undefined,
    },
  );
  return tally;
};

const count = (tally: Tally, { world, transactions }: Ended): void => {
  tally.histories += 1;
  tally.transactions += transactions.length;
  tally.turns += world.database.game.filter(({ type }) => type === 'effect').length;
  tally.doubledCalls += world.calls.doubled;
  tally.lostCommits += world.calls.lostCommits;
  for (const { events } of world.database.homes.values()) {
    tally.completions += events.filter(({ type }) => type === 'feeding-completed').length;
  }
};

const LARGEST = 5_000;

/** Many runs as parts of a few minutes at most, each a test of its own with a seed of its own: one that stands still is seen. */
export const parts = (runs: number): { part: number; runs: number }[] =>
  Array.from({ length: Math.ceil(runs / LARGEST) }, (_, at) => ({
    part: at + 1,
    runs: Math.min(LARGEST, runs - at * LARGEST),
  }));
