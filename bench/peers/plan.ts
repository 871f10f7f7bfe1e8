import { parseArgs } from 'node:util';
import { contenders, largeContenders } from './measure/contenders.ts';
import type { Sizes } from './measure/measurement.ts';

/** Contenders that are measured in turn, so many rounds, with so many timers waiting. */
export interface Block {
  readonly pending: number;
  readonly rounds: number;
  readonly names: readonly string[];
  readonly sizes: Sizes;
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

const LARGE = 100_000;
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
    },
  });
  const only = values.only?.split(',').map((part) => part.trim().toLowerCase());
  const isWanted = (name: string): boolean => only?.some((part) => name.toLowerCase().includes(part)) ?? true;
  const pendings = values.quick ? [1_000] : values.pending.split(',').map(Number);
  const rounds = values.quick ? 1 : Number(values.rounds);
  for (const number of [...pendings, rounds])
    if (!Number.isInteger(number) || number < 1) throw new RangeError('--pending and --rounds want whole numbers');
  if (!allNames.some(isWanted)) throw new RangeError(`--only wants some of: ${allNames.join(', ')}`);
  return {
    isQuick: values.quick,
    isPageOnly: values.page,
    blocks: pendings.map((pending) => ({
      pending,
      rounds: pending >= LARGE ? Math.max(1, rounds - 1) : rounds,
      names: (pending >= LARGE && only === undefined ? largeContenders : allNames).filter(isWanted),
      sizes: values.quick ? quickSizes : { ...sizes, burst: pending >= LARGE ? 2 * sizes.burst : sizes.burst },
    })),
  };
};
