import { runRounds, type Samples } from './rounds.ts';
import type { Bench, Row } from './row.ts';

export interface Measuring extends Bench {
  readonly rounds: number;
  /** For a quiet machine, before each measurement; default 20 s. */
  readonly longestWaitMs?: number;
  readonly say: (text: string) => void;
}

/** Prepares a row, measures it and takes everything away again. Undefined: what it measures is not there. */
export const measureRow = async (
  row: Row,
  { rounds, longestWaitMs, say, ...bench }: Measuring,
): Promise<Samples | undefined> => {
  const prepared = await row.prepare(bench);
  if (prepared === undefined) {
    say(`\n${row.name}: left out, what it measures is not there`);
    return undefined;
  }
  const onMeasured = (contender: string, round: number): void =>
    say(`  ${row.name} · round ${round + 1} of ${rounds} · ${contender}`);
  return runRounds(prepared.contenders, rounds, { longestWaitMs, onMeasured }).finally(prepared.dispose);
};
