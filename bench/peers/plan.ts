import { type Block, choiceFrom, type Round, wholeOf } from '../harness/contest-plan.ts';
import { contenders, largeContenders, paired } from './measure/contenders.ts';
import type { Sizes } from './measure/measurement.ts';
import { LEAST_PAIRS } from './report/targets.ts';

const IN_FLIGHT = 64;
const sizes: Omit<Sizes, 'inFlight'> = {
  calls: 10_000,
  callsAtMostMs: 1_500,
  fillAtMostMs: 30_000,
  late: 2_000,
  lateSpanMs: 4_000,
  burst: 10_000,
  burstAtMostMs: 7_000,
  race: 750,
};
const quickSizes: typeof sizes = {
  calls: 1_000,
  callsAtMostMs: 500,
  fillAtMostMs: 10_000,
  late: 300,
  lateSpanMs: 1_000,
  burst: 1_000,
  burstAtMostMs: 5_000,
  race: 100,
};

/** Bursts are larger from here on. */
const MANY = 100_000;
/** From here on only some are measured, because scheduling takes long. */
const LARGE = 1_000_000;
const LARGE_FILL_AT_MOST_MS = 120_000;
const allNames = contenders.map(({ name }) => name);

export interface Plan {
  /** It is recorded. */
  readonly isWhole: boolean;
  /** Measures nothing, and rewrites the recorded page. */
  readonly isPageOnly: boolean;
  readonly blocks: readonly Block<Sizes>[];
}

/** Reads the command line; throws for unknown arguments. */
export const planFrom = (args: readonly string[]): Plan => {
  const { isQuick, isWhole, isWanted, pendings, rounds, values } = choiceFrom(
    args,
    { pending: '10000,100000', rounds: '3' },
    {
      page: { type: 'boolean', default: false },
      pairs: { type: 'string', default: '5' },
      'in-flight': { type: 'string', default: `${IN_FLIGHT}` },
    },
  );
  const pairs = isQuick ? 1 : wholeOf('pairs', values.pairs);
  if (!allNames.some(isWanted)) throw new RangeError(`--only wants some of: ${allNames.join(', ')}`);
  const inFlight = wholeOf('in-flight', values['in-flight']);
  return {
    isWhole: isWhole && inFlight === IN_FLIGHT && Math.max(rounds, pairs) >= LEAST_PAIRS,
    isPageOnly: values.page === true,
    blocks: pendings.map((pending) => {
      const names = (pending >= LARGE && isWhole ? largeContenders : allNames).filter(isWanted);
      const inPairs = names.filter((name) => paired.includes(name));
      const whole = Array.from({ length: rounds }, (): Round => ({ names, isCallsAlone: false }));
      const more = Array.from(
        { length: inPairs.length === 0 ? 0 : Math.max(0, pairs - rounds) },
        (): Round => ({ names: inPairs, isCallsAlone: true }),
      );
      return {
        pending,
        rounds: [...whole, ...more],
        sizes: { ...(isQuick ? quickSizes : sizesOf(pending)), inFlight },
      };
    }),
  };
};

const sizesOf = (pending: number): typeof sizes => ({
  ...sizes,
  burst: pending >= MANY ? 2 * sizes.burst : sizes.burst,
  fillAtMostMs: pending >= LARGE ? LARGE_FILL_AT_MOST_MS : sizes.fillAtMostMs,
});
