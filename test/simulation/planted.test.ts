import { describe, expect, it } from 'vitest';
import { HANG_MS, tries } from '../proof/table/tries.ts';
import { prove } from '../support/properties/prove.ts';
import { calm, emptied, kind, rough } from './history.ts';
import { EndedBadly, hold } from './hold.ts';
import { planted } from './planted.ts';

const RUNS = 3000;
const histories = { calm, kind, emptied, rough } as const;

/** The report of fast-check, with what the property threw as its cause. */
const expectFailure = async (tries: Promise<unknown>): Promise<Error> => {
  const error = await tries.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Error) return error;
  throw new Error('no history ended badly');
};

describe('a planted fault is found', () => {
  it.for(planted)('$name', { timeout: HANG_MS }, async (fault, context) => {
    const tries = { histories: histories[fault.histories], runs: RUNS, sabotage: fault.sabotage };
    const { cause } = await expectFailure(hold(tries));
    expect(cause).toBeInstanceOf(EndedBadly);
    prove(context, { row: 3, tries: 1, of: 'planted faults, all found' });
  });
});

/** So the faults that are planted beside a missing sweeper are found, and not the missing sweeper. */
it.each([
  ['no process dies between a commit and its index update', kind],
  ['the index alone is lost', emptied],
] as const)('without a sweeper nothing is late as long as %s', { timeout: HANG_MS }, async (_, histories) => {
  await hold({ histories, runs: tries({ test: 100, proof: 500 }), sabotage: { noSweeper: true } });
});
