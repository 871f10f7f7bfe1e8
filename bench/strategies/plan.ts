import { type Block, choiceFrom, type Round } from '../harness/contest-plan.ts';
import type { Sizes } from './result/results.ts';
import { contenders, NOTHING } from './systems/contenders.ts';

const sizes: Sizes = { duePerSec: 1_000, dueForMs: 4_000, moves: 4_000, idleAtMostMs: 6_000 };
const quickSizes: Sizes = { duePerSec: 500, dueForMs: 1_000, moves: 500, idleAtMostMs: 1_000 };

const PENDING = '1000,10000,100000,1000000';

interface Plan {
  /** It is recorded. */
  readonly isWhole: boolean;
  readonly blocks: readonly Block<Sizes>[];
}

/** Reads the command line; throws for unknown arguments. */
export const planFrom = (args: readonly string[]): Plan => {
  const choice = choiceFrom(args, { pending: PENDING, rounds: '1' });
  const all = [NOTHING, ...contenders.map(({ name }) => name)];
  const names = all.filter(choice.isWanted);
  if (names.length === 0) throw new RangeError(`--only wants some of: ${all.join(', ')}`);
  const chosen = choice.isQuick ? quickSizes : sizes;
  const rounds = Array.from({ length: choice.rounds }, (): Round => ({ names, isCallsAlone: false }));
  return {
    // The record has all numbers of timers: growth is judged from one to the other.
    isWhole: choice.isWhole && choice.pendings.join() === PENDING,
    blocks: choice.pendings.map((pending) => ({ pending, rounds, sizes: chosen })),
  };
};
