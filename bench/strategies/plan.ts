import { parseArgs } from 'node:util';
import type { Sizes } from './result/measurement.ts';
import { contenders, NOTHING } from './systems/contenders.ts';

const sizes: Sizes = { duePerSec: 1_000, dueForMs: 4_000, moves: 4_000, idleAtMostMs: 6_000 };
const quickSizes: Sizes = { duePerSec: 500, dueForMs: 1_000, moves: 500, idleAtMostMs: 1_000 };

export interface Plan {
  readonly isQuick: boolean;
  readonly names: readonly string[];
  readonly pendings: readonly number[];
  readonly rounds: number;
  readonly sizes: Sizes;
}

/** From the command line; throws for what it does not know. */
export const planFrom = (args: readonly string[]): Plan => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      pending: { type: 'string', default: '1000,10000,100000,1000000' },
      rounds: { type: 'string', default: '1' },
    },
  });
  const only = values.only?.split(',').map((part) => part.trim().toLowerCase());
  const isWanted = (name: string): boolean => only?.some((part) => name.toLowerCase().includes(part)) ?? true;
  const names = [NOTHING, ...contenders.map(({ name }) => name)].filter(isWanted);
  const pendings = values.quick ? [1_000] : values.pending.split(',').map(Number);
  const rounds = values.quick ? 1 : Number(values.rounds);
  for (const number of [...pendings, rounds])
    if (!Number.isInteger(number) || number < 1) throw new RangeError('--pending and --rounds want whole numbers');
  if (names.length === 0)
    throw new RangeError(`--only wants some of: ${contenders.map(({ name }) => name).join(', ')}`);
  return { isQuick: values.quick, names, pendings, rounds, sizes: values.quick ? quickSizes : sizes };
};
