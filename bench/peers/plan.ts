import { parseArgs } from 'node:util';
import { contenders, largeContenders, paired } from './measure/contenders.ts';
import type { Sizes } from './measure/measurement.ts';

/** Contenders that are measured in turn, with so many timers waiting. */
export interface Block {
  readonly pending: number;
  readonly rounds: readonly Round[];
  readonly sizes: Sizes;
}

export interface Round {
  readonly names: readonly string[];
  /** The calls alone; else all phases. */
  readonly isCallsAlone: boolean;
}

const sizes: Sizes = {
  calls: 10_000,
  callsAtMostMs: 1_500,
  fillAtMostMs: 30_000,
  late: 2_000,
  lateSpanMs: 4_000,
  burst: 10_000,
  burstAtMostMs: 7_000,
  race: 750,
};
const quickSizes: Sizes = {
  calls: 1_000,
  callsAtMostMs: 500,
  fillAtMostMs: 10_000,
  late: 300,
  lateSpanMs: 1_000,
  burst: 1_000,
  burstAtMostMs: 5_000,
  race: 100,
};

/** From here on bursts are larger. */
const MANY = 100_000;
/** From here on only some are measured, and putting the timers in takes its time. */
const LARGE = 1_000_000;
const LARGE_FILL_AT_MOST_MS = 120_000;
const allNames = contenders.map(({ name }) => name);

export interface Plan {
  readonly isQuick: boolean;
  /** Measures nothing, and writes the recorded page anew. */
  readonly isPageOnly: boolean;
  readonly blocks: readonly Block[];
}

/** From the command line; throws for what it does not know. */
export const planFrom = (args: readonly string[]): Plan => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
      only: { type: 'string' },
      pending: { type: 'string', default: '10000,100000' },
      rounds: { type: 'string', default: '3' },
      pairs: { type: 'string', default: '5' },
    },
  });
  const only = values.only?.split(',').map((part) => part.trim().toLowerCase());
  const isWanted = (name: string): boolean => only?.some((part) => name.toLowerCase().includes(part)) ?? true;
  const pendings = values.quick ? [1_000] : values.pending.split(',').map(Number);
  const rounds = values.quick ? 1 : Number(values.rounds);
  const pairs = values.quick ? 1 : Number(values.pairs);
  for (const number of [...pendings, rounds, pairs])
    if (!Number.isInteger(number) || number < 1)
      throw new RangeError('--pending, --rounds, --pairs want whole numbers');
  if (!allNames.some(isWanted)) throw new RangeError(`--only wants some of: ${allNames.join(', ')}`);
  return {
    isQuick: values.quick,
    isPageOnly: values.page,
    blocks: pendings.map((pending) => {
      const names = (pending >= LARGE && only === undefined ? largeContenders : allNames).filter(isWanted);
      const inPairs = names.filter((name) => paired.includes(name));
      const whole = Array.from({ length: rounds }, (): Round => ({ names, isCallsAlone: false }));
      const more = Array.from(
        { length: inPairs.length === 0 ? 0 : Math.max(0, pairs - rounds) },
        (): Round => ({ names: inPairs, isCallsAlone: true }),
      );
      return { pending, rounds: [...whole, ...more], sizes: values.quick ? quickSizes : sizesOf(pending) };
    }),
  };
};

const sizesOf = (pending: number): Sizes => ({
  ...sizes,
  burst: pending >= MANY ? 2 * sizes.burst : sizes.burst,
  fillAtMostMs: pending >= LARGE ? LARGE_FILL_AT_MOST_MS : sizes.fillAtMostMs,
});
