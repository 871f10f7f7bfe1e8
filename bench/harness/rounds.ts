import { quietMachine } from './quiet.ts';
import type { Contender } from './row.ts';

/** Contender -> figure -> one value a round. */
export type Samples = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;

interface RoundsOptions {
  /** For a quiet machine, before each measurement. */
  readonly longestWaitMs?: number | undefined;
  readonly onMeasured: (contender: string, round: number) => void;
}

/**
 * Measures all contenders once a round, each round beginning with another one: what the machine does meanwhile, and
 * who comes after whom, then hurts all of them alike.
 */
export const runRounds = async (
  contenders: readonly Contender[],
  rounds: number,
  { longestWaitMs, onMeasured }: RoundsOptions,
): Promise<Samples> => {
  const samples: Record<string, Record<string, number[]>> = {};
  for (const { name } of contenders) samples[name] = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, measure } of rotated(contenders, round)) {
      await quietMachine(longestWaitMs);
      onMeasured(name, round);
      for (const [figure, value] of Object.entries(await measure())) {
        const own = samples[name] ?? {};
        own[figure] = [...(own[figure] ?? []), value];
      }
    }
  }
  return samples;
};

const rotated = <Item>(items: readonly Item[], by: number): readonly Item[] => {
  const first = by % Math.max(1, items.length);
  return [...items.slice(first), ...items.slice(0, first)];
};
